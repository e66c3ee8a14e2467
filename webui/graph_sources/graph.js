// Draws the graph of a page that has <div data-graph="ADDRESS OF ITS JSON" data-layout="ADDRESS OF THE WORKER">.
// Everything it shows is in the table of the same page too.
import Graph from "graphology";
import Sigma from "sigma";

const COLOURS = ["#0b57d0", "#b3261e", "#146c2e", "#7a4b00", "#6b21a8", "#006a6a", "#8b1a62", "#565d66"];
const OTHER = "#8a9099";

const box = document.querySelector("[data-graph]");
if (box) {
  start(box).catch(() => {
    box.hidden = true; // the table and the picture made by the server say the same
  });
}

async function start(container) {
  const answer = await fetch(container.dataset.graph, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const data = await answer.json();
  if (!data.nodes.length) return;
  const panel = document.querySelector("[data-graph-panel]");
  panel.hidden = false;
  const graph = build(data);
  const view = new Sigma(graph, container, {
    labelColor: { color: getComputedStyle(document.body).color },
    labelRenderedSizeThreshold: 7,
    renderEdgeLabels: false,
    defaultEdgeType: "arrow",
    minEdgeThickness: 0.8,
  });
  colour(graph, document.querySelector("[data-graph-colour]"), document.querySelector("[data-graph-legend]"));
  buttons(view);
  finder(graph, view, data);
  details(graph, view);
  layOut(graph, container.dataset.layout);
}

function build(data) {
  const graph = new Graph({ multi: false, type: "directed" });
  data.nodes.forEach((node, index) => {
    const angle = index * 2.399963; // the golden angle spreads the start places evenly
    const radius = 10 * Math.sqrt(index);
    graph.addNode(node.id, {
      label: node.label,
      x: radius * Math.cos(angle),
      y: radius * Math.sin(angle),
      size: 3 + 9 * Math.sqrt(node.weight / data.heaviest),
      groups: node.groups,
      href: node.href,
      about: node.about,
      around: node.around,
    });
  });
  for (const edge of data.edges) {
    if (edge.source !== edge.target && !graph.hasEdge(edge.source, edge.target)) {
      graph.addEdge(edge.source, edge.target, { size: Math.min(4, 0.5 + Math.log2(edge.weight + 1) / 3), color: "#8a939e" });
    }
  }
  return graph;
}

function colour(graph, choice, legend) {
  const paint = () => {
    const name = choice.value;
    const counts = new Map();
    graph.forEachNode((_, node) => {
      const value = node.groups[name] ?? "";
      counts.set(value, (counts.get(value) ?? 0) + 1);
    });
    const known = [...counts].sort((a, b) => b[1] - a[1]).slice(0, COLOURS.length).map(([value]) => value);
    graph.forEachNode((id, node) => {
      const place = known.indexOf(node.groups[name] ?? "");
      graph.setNodeAttribute(id, "color", place < 0 ? OTHER : COLOURS[place]);
    });
    legend.replaceChildren(
      ...known.map((value, place) => {
        const entry = document.createElement("li");
        const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        mark.setAttribute("viewBox", "0 0 10 10");
        mark.setAttribute("aria-hidden", "true");
        const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        dot.setAttribute("cx", "5");
        dot.setAttribute("cy", "5");
        dot.setAttribute("r", "5");
        dot.setAttribute("fill", COLOURS[place]);
        mark.append(dot);
        entry.append(mark, ` ${value || "–"} (${counts.get(value)})`);
        return entry;
      }),
    );
  };
  choice.addEventListener("change", paint);
  paint();
}

function buttons(view) {
  const camera = view.getCamera();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches ? { duration: 0 } : { duration: 200 };
  const moves = {
    in: () => camera.animatedZoom(still),
    out: () => camera.animatedUnzoom(still),
    reset: () => camera.animatedReset(still),
    left: () => camera.animate({ x: camera.x - 0.1 * camera.ratio }, still),
    right: () => camera.animate({ x: camera.x + 0.1 * camera.ratio }, still),
    up: () => camera.animate({ y: camera.y + 0.1 * camera.ratio }, still),
    down: () => camera.animate({ y: camera.y - 0.1 * camera.ratio }, still),
  };
  for (const button of document.querySelectorAll("[data-graph-move]")) {
    button.addEventListener("click", () => moves[button.dataset.graphMove]());
  }
}

function show(graph, id) {
  const node = graph.getNodeAttributes(id);
  const place = document.querySelector("[data-graph-node]");
  const link = document.createElement("a");
  link.href = node.href;
  link.textContent = node.label;
  place.replaceChildren(link, node.about ? ` · ${node.about}` : "");
  if (node.around) {
    const around = document.createElement("a");
    around.href = node.around;
    around.textContent = place.dataset.around;
    place.append(" · ", around);
  }
}

function finder(graph, view, data) {
  const field = document.querySelector("[data-graph-find]");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    const found = wanted && data.nodes.find((node) => node.label.toLowerCase().includes(wanted));
    graph.forEachNode((id) => graph.setNodeAttribute(id, "highlighted", Boolean(found) && String(found.id) === id));
    if (found) {
      show(graph, String(found.id));
      const { x, y } = view.getNodeDisplayData(String(found.id));
      view.getCamera().setState({ x, y, ratio: Math.min(view.getCamera().ratio, 0.4) });
    }
  });
}

function details(graph, view) {
  view.on("clickNode", ({ node }) => show(graph, node));
  view.on("doubleClickNode", ({ node, preventSigmaDefault }) => {
    preventSigmaDefault();
    location.assign(graph.getNodeAttribute(node, "href"));
  });
}

function layOut(graph, script) {
  const worker = new Worker(script, { type: "module" });
  worker.onmessage = ({ data }) => {
    for (const [id, x, y] of data.places) {
      graph.mergeNodeAttributes(id, { x, y });
    }
    if (data.done) {
      document.querySelector("[data-graph]").dataset.settled = "yes";
      worker.terminate();
    }
  };
  worker.postMessage({ nodes: graph.nodes(), links: graph.mapEdges((_, __, source, target) => [source, target]) });
}
