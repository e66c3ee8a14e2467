"""Language of a page, its stemmer (Snowball, through PyStemmer) and its stop words."""

from __future__ import annotations

import threading

import Stemmer
from resiliparse.parse.lang import detect_fast

from indexer.text.elements import PageText

# ISO 639-1 code -> Snowball algorithm, for every language PyStemmer has; pages whose language
# cannot be told are stemmed like English ones
STEMMERS = {
    "ar": "arabic",
    "hy": "armenian",
    "eu": "basque",
    "ca": "catalan",
    "da": "danish",
    "nl": "dutch",
    "en": "english",
    "eo": "esperanto",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "el": "greek",
    "hi": "hindi",
    "hu": "hungarian",
    "id": "indonesian",
    "ga": "irish",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "no": "norwegian",
    "fa": "persian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "": "english",
    "es": "spanish",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
    "cs": "czech",
}
_KNOWN_ALGORITHMS = frozenset(Stemmer.algorithms())
_SAME_AS = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "mo": "ro"}
# Detection needs some text to be better than a guess, and reads no more than it needs.
_DETECT_AT_LEAST, _DETECT_AT_MOST = 120, 5000
_DETECT_RANK = 1000

_local = threading.local()


def language_of(page: PageText) -> str:
    """Return the language of a page as a lower-case code ("en", "pt", "zh"), "" when it cannot be told.

    The page's own word (lang attribute) comes first; without one the text is looked at.
    """
    declared = page.language.replace("_", "-").split("-")[0].strip().lower()
    if 2 <= len(declared) <= 3 and declared.isascii() and declared.isalpha():
        return _SAME_AS.get(declared, declared)
    text = page.text[:_DETECT_AT_MOST]
    if len(text) < _DETECT_AT_LEAST:
        return ""
    found, rank = detect_fast(text)
    return _SAME_AS.get(found, found) if found != "unknown" and rank <= _DETECT_RANK else ""


def has_stemmer(language: str) -> bool:
    """Tell whether words of this language are stemmed."""
    return STEMMERS.get(language) in _KNOWN_ALGORITHMS


def stem_words(language: str, words: list[str]) -> list[str]:
    """Return the stem of each word in a language; the words themselves where it has no stemmer."""
    if not has_stemmer(language):
        return words
    stemmers = _local.__dict__.setdefault("stemmers", {})  # a Stemmer is not safe in several threads
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(STEMMERS[language], 0)
    stems: list[str] = stemmers[language].stemWords(words)
    return stems


STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "a about above after again against all am an and any are as at be because been before being below between"
        " both but by can cannot could did do does doing down during each few for from further had has have having"
        " he her here hers herself him himself his how i if in into is it its itself me more most my myself no nor"
        " not of off on once only or other our ours ourselves out over own same she should so some such than that"
        " the their theirs them themselves then there these they this those through to too under until up very was"
        " we were what when where which while who whom why will with would you your yours yourself s t",
        "de": "aber als am an auch auf aus bei bin bis bist da dann das dass dein deine dem den der des dich die dies diese"
        " dieser dieses doch dort du durch ein eine einem einen einer eines er es euer für hatte haben hat hier hinter"
        " ich ihr ihre im in ist ja jede jedem jeden jeder jedes jener kann können machen mein meine mich mir mit"
        " muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sondern um und uns unser"
        " unter vom von vor war waren was weil welche wenn wer werden wie wieder wir wird wo zu zum zur über",
        "fr": "à ai as au aux avec c ce ces cette d dans de des du elle elles en et eu eux il ils j je l la le les leur leurs"
        " lui m ma mais me mes même mon n ne nos notre nous on ont ou où par pas pour qu que qui s sa sans se ses son"
        " sont sur t ta te tes toi ton tu un une vos votre vous y été être est",
        "es": "a al algo ante como con contra cual cuando de del desde donde durante e el ella ellas ellos en entre era es esa"
        " ese eso esta este esto estos fue ha han hasta hay la las le les lo los me mi mis muy más nada ni no nos o"
        " otra otro para pero por porque que quien se ser si sin sobre su sus son también te tiene todo tu un una uno y ya yo",
        "it": "a ad ai al alla alle allo anche c che chi ci come con da dai dal dalla dalle de degli dei del della delle dello di"
        " e ed era gli ha ho i il in io l la le lei li lo loro ma mi ne nei nel nella nelle noi non o per perché più"
        " quale quella quello questa questo se si sono su sua sue sugli sui sul sulla suo tra tu un una uno è",
        "pt": "a ao aos as com como da das de dela dele do dos e ela ele em entre era essa esse esta este eu foi há isso já"
        " lhe mais mas me mesmo muito na nas no nos não nós o os ou para pela pelo por quando que quem se sem ser seu"
        " sua são também te tem um uma você à é",
        "nl": "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen"
        " haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men"
        " met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u"
        " uit uw van veel voor want waren was wat we wel werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou",
        "da": "af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller"
        " en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvis hvor i ikke ind jeg jer jo"
        " kunne man mange med meget men mig min mine mit mod ned noget nogle nu når og også om op os over på selv sig"
        " sin sine sit skal skulle som sådan thi til ud under var vi vil ville vor være været",
        "sv": "alla allt att av blev bli blir de dem den denna deras dess det detta dig din du där efter ej eller en er ett"
        " från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag ju kan kunde man med"
        " mellan men mig min mot mycket ni nu när någon något och om oss på samma sedan sig sin själv skulle som så"
        " till under upp ut utan vad var vara varit vem vi vid vilken vår än är åt över",
    }.items()
}
