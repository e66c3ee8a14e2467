"""Archive files: `archiver.warc` reads and writes them, `archiver.crawl` fills them from the web."""
