// Runs in a page of the shelf: parses each of the pages, looks at its tree, then shows it in a frame without sandbox.
// Returns [number of the page, what got out]; the number is -1 where it is not known.
async (pages) => {
  const loads = new Set(("href src srcset action formaction poster background data cite longdesc lowsrc dynsrc ping " +
    "usemap manifest codebase archive classid code icon profile imagesrcset object altimg").split(" "));
  const texts = new Set("style alt title content value placeholder label summary id class name".split(" "));
  const found = [];
  const address = (written) => { try { return new URL(written, location.href) } catch { return null } };
  const judge = (node, report) => {
    if (node.localName === "script" || node.localName === "base") report(`<${node.localName}>`);
    for (const attribute of node.attributes) {
      const name = attribute.localName.toLowerCase(), value = attribute.value;
      if (name.startsWith("on")) report(`${attribute.name} of ${node.localName}`);
      if (name === "http-equiv" || name === "attributename" && node.namespaceURI.includes("svg") && /^\s*([^:]*:)*(href|src.*|on.*|style)\s*$/i.test(value)) report(attribute.name + value);
      if (name === "srcdoc") { walk(new DOMParser().parseFromString(value, "text/html"), report); continue }
      if (loads.has(name)) {
        for (const written of name.endsWith("srcset") ? value.split(/\s+\S*,\s*/) : [value]) {
          if (written.trim().startsWith("#")) continue;
          const goal = address(written.trim().split(/\s/)[0] || written);
          const picture = /^data:/i.test(written.trim()) && /^(img|image|feimage|input|source|video|audio)$/i.test(node.localName)
            || /^data:/i.test(written.trim()) && /^(poster|background)$/.test(name);
          if (!picture && (!goal || goal.origin !== location.origin || !/^\/(web|cached)\//.test(goal.pathname)))
            report(`${attribute.name} of ${node.localName}: ${value}`);
        }
      } else if (!texts.has(name) && /(^|[^/])(http:)?[/\\]{2}[\w.]*(out\.test|names\.test|127\.0\.0\.1)/i.test(value.replace(/\/(web\/\d+\w\w_|cached\/\d+)\/[^"'\s)]*/g, "")))
        report(`${attribute.name} of ${node.localName}: ${value}`);
    }
    if (node.localName === "template" && node.content) walk(node.content, report);
  };
  const walk = (root, report) => { for (const node of root.querySelectorAll("*")) judge(node, report) };
  window.ran = 0;
  const frames = pages.map((html, number) => {
    walk(new DOMParser().parseFromString(html, "text/html"), (what) => found.push([number, what]));
    const frame = document.createElement("iframe");
    const there = new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 4000) });
    frame.srcdoc = html;
    document.body.append(frame);
    return [frame, there];
  });
  await Promise.all(frames.map(([, there]) => there));
  await new Promise((resolve) => setTimeout(resolve, 150));
  frames.forEach(([frame]) => frame.remove());
  if (window.ran) found.push([-1, "a script ran"]);
  return found;
}
