// The worker that lays a graph out: takes {nodes: [id], links: [[source, target]]}, answers with positions.
import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

const TICKS = 120;
const TELL_EVERY = 15;

self.onmessage = ({ data }) => {
  const nodes = data.nodes.map((id) => ({ id }));
  const links = data.links.map(([source, target]) => ({ source, target }));
  const simulation = forceSimulation(nodes)
    .force("link", forceLink(links).id((node) => node.id).distance(40))
    .force("charge", forceManyBody().strength(-60).distanceMax(600))
    .force("collide", forceCollide(8))
    .force("x", forceX().strength(0.04))
    .force("y", forceY().strength(0.04))
    .force("center", forceCenter())
    .stop();
  for (let tick = 1; tick <= TICKS; tick += 1) {
    simulation.tick();
    if (tick % TELL_EVERY === 0 || tick === TICKS) {
      self.postMessage({ done: tick === TICKS, places: nodes.map(({ id, x, y }) => [id, x, y]) });
    }
  }
};
