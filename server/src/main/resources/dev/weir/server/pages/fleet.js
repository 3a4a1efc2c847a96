// Fleet: the servers that share a Redis or a database: versions, rules, stores, breakers, leases, load.
import { html, nothing } from './lit-html.js';
import { count, known, micros, perSecond, share, since, span } from './format.js';
import { data, source } from './live.js';
import { empty, missing, name, table } from './parts.js';

export const title = 'Fleet';
export const sources = () => ({ fleet: '/admin/v1/fleet', sources: ['/v1/ratelimit/sources', { every: 5000 }] });

/** The value that most of the nodes have, so that those that differ can be marked. */
function usual(nodes, of) {
  const counts = new Map();
  nodes.forEach(each => counts.set(of(each), (counts.get(of(each)) ?? 0) + 1));
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

const odd = (value, expected, text) => html`<span class=${value === expected ? '' : 'wrong'}>${value === expected ? '' : '◆ '}${text}</span>`;

function health(each) {
  if (each.silent) return html`<span class="wrong">▲ silent for ${span(each.seen_ms_ago / 1000)}</span>`;
  if (!each.serving) return html`<span class="wrong">▲ not serving</span>`;
  return each.problems.length ? html`<span class="wrong">◆ ${each.problems.length} problem${each.problems.length === 1 ? '' : 's'}</span>`
    : html`<span class="glyph ink-allowed" aria-hidden="true">●</span> well`;
}

function stores(each) {
  if (each.stores.length === 0) return html`<span class="quiet">memory</span>`;
  return each.stores.map(store => html`<div>${store.connected && store.breaker === 'closed' ? html`<span class="glyph ink-allowed" aria-hidden="true">●</span>` : html`<span class="wrong">▲</span>`}
    ${name(store.store)} <span class="quiet">${name(store.server ?? '')}</span>${store.breaker === 'closed' ? nothing : html` <span class="wrong">breaker ${store.breaker}</span>`}
    ${store.connected ? nothing : html` <span class="wrong">not connected</span>`}${store.waiting ? html` <span class="quiet">${count(store.waiting)} waiting</span>` : nothing}</div>`);
}

function row(each, versions, hashes, withRegions) {
  const load = each.load ?? null;
  return html`<tr class=${each.silent ? 'old' : ''}>
    <td><a data-open href=${each.self ? '#/now' : `${each.admin}/`}>${name(each.node)}</a>${each.self ? html` <span class="badge">this one</span>` : nothing}
      ${each.verified ? nothing : html` <span class="badge off" title="Without a fleet secret anybody who writes to Redis can pretend to be a server">not verified</span>`}</td>
    ${withRegions ? html`<td>${regionOf(each)}</td>` : nothing}<td>${health(each)}</td>
    <td class="wide">${odd(each.version, versions, each.version)}</td>
    <td>${odd(each.rules_hash, hashes, `${count(each.rules)} (${each.rules_hash.slice(0, 8)})`)}</td>
    <td>${stores(each)}</td>
    <td class="wide">${each.database ? html`${each.database.connected ? 'connected' : html`<span class="wrong">▲ unreachable</span>`}, change ${count(each.database.version)}` : html`<span class="quiet">none</span>`}</td>
    <td class="number wide">${count(each.leases.held_hits)}</td>
    <td class="number">${perSecond(load?.decisions_rate)}</td><td class="number">${share(load?.denied_share)}</td>
    <td class="number">${micros(load?.p99_us)}</td><td class="number">${share(load?.degraded_share)}</td>
    <td class="number">${known(each.started) ? since(each.started) : '–'}</td></tr>`;
}

const regionOf = each => (each.region ? html`${name(each.region)}${each.region === each.home ? html` <span class="badge" title="Its Redis counts global limits">home</span>` : nothing}` : html`<span class="quiet">none</span>`);

/** The sum of a number over servers, weighted; null if no server knows it. */
function sum(nodes, of, weight = () => 1) {
  const all = nodes.filter(each => known(of(each)));
  return all.length ? all.reduce((total, each) => total + of(each) * weight(each), 0) : null;
}

/** The regions of the fleet, each as one line. */
function regions(nodes) {
  const groups = new Map();
  nodes.filter(each => each.region).forEach(each => groups.set(each.region, [...(groups.get(each.region) ?? []), each]));
  if (groups.size === 0) return nothing;
  const rate = each => each.load?.decisions_rate ?? 0;
  const part = (all, of) => (sum(all, rate) > 0 ? sum(all, of, rate) / sum(all, rate) : null);
  return html`<section aria-labelledby="regions"><h2 id="regions">Regions</h2>${table('Regions', ['Region', ['Servers', 'number'], ['Decisions', 'number'], ['Denied', 'number'], ['p99, slowest server', 'number wide'], ['Degraded', 'number'], ['Home since epoch', 'number wide']],
    [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([region, all]) => {
      const live = all.filter(each => !each.silent);
      const p99s = live.map(each => each.load?.p99_us).filter(known);
      return html`<tr><td>${regionOf(all[0])}</td>
        <td class="number">${live.length < all.length ? html`<span class="wrong">▲ ${live.length} of ${all.length}</span>` : all.length}</td>
        <td class="number">${perSecond(sum(live, rate))}</td><td class="number">${share(part(live, each => each.load?.denied_share))}</td>
        <td class="number wide">${micros(p99s.length ? Math.max(...p99s) : null)}</td><td class="number">${share(part(live, each => each.load?.degraded_share))}</td>
        <td class="number wide">${[...new Set(live.filter(each => known(each.home_epoch)).map(each => `${each.home}, ${each.home_epoch}`))].join('; ')}</td></tr>`;
    }))}</section>`;
}

function skew(nodes) {
  const hashes = new Set(nodes.filter(each => !each.silent).map(each => each.rules_hash));
  const versions = new Set(nodes.filter(each => !each.silent).map(each => each.version));
  const homes = new Set(nodes.filter(each => !each.silent && each.home).map(each => `${each.home} ${each.home_epoch}`));
  const told = [...(homes.size > 1 ? ['They know different home regions or epochs.'] : []), ...(hashes.size > 1 ? [`The servers have ${hashes.size} different rule sets.`] : []), ...(versions.size > 1 ? [`They run ${versions.size} different versions.`] : [])];
  const problems = nodes.flatMap(each => each.problems.map(problem => ({ node: each.node, problem })));
  const silent = nodes.filter(each => each.silent).length;
  const isWell = told.length === 0 && problems.length === 0 && silent === 0;
  return html`<div class="sentence ${isWell ? 'ok' : 'warn'}" role="status"><p>${isWell ? html`<span class="glyph ink-allowed" aria-hidden="true">●</span> ${nodes.length === 1 ? 'One server' : `${nodes.length} servers`}, with one rule set.`
    : html`<span class="glyph ink-degraded" aria-hidden="true">◆</span> ${[...(silent ? [`${silent} of ${nodes.length} servers silent.`] : []), ...told].join(' ') || `${problems.length} problem${problems.length === 1 ? '' : 's'}.`}`}</p>
    ${problems.length ? html`<ul>${problems.map(each => html`<li>${name(each.node)}: ${name(each.problem)}</li>`)}</ul>` : nothing}</div>`;
}

function ruleSources(told) {
  if (!told || told.sources.length === 0) return nothing;
  return html`<section aria-labelledby="sources"><h2 id="sources">Sources of rules</h2>${table('Sources of rules', ['Source', 'State', ['Rules', 'number'], ['Overridden', 'number wide'], 'Changed'], told.sources.map(each => html`<tr>
    <td>${name(each.source)}</td><td>${each.problem ? html`<span class="wrong">▲ ${name(each.problem)}</span>` : each.connected && each.current
      ? html`<span class="glyph ink-allowed" aria-hidden="true">●</span> current` : html`<span class="wrong">◆ ${each.connected ? 'not current' : 'not connected'}</span>`}</td>
    <td class="number">${count(each.rules)}</td><td class="number wide">${count(each.hidden)}</td><td>${each.changed_at ? `${since(each.changed_at)} ago` : ''}</td></tr>`))}</section>`;
}

export function view() {
  const told = data('fleet');
  if (!told) return html`<h1>Fleet</h1>${missing(source('fleet'))}`;
  const versions = usual(told.nodes, each => each.version);
  const hashes = usual(told.nodes, each => each.rules_hash);
  const withRegions = told.nodes.some(each => each.region);
  return html`<h1>Fleet</h1>
    ${skew(told.nodes)}
    ${told.unknown.length ? html`<ul class="notes">${told.unknown.map(each => html`<li>◐ Servers are missing here: ${each}</li>`)}</ul>` : nothing}
    ${regions(told.nodes)}
    ${table('Servers', ['Server', ...(withRegions ? ['Region'] : []), 'State', ['Version', 'wide'], 'Rules', 'Stores', ['Database', 'wide'], ['Leased hits', 'number wide'], ['Decisions', 'number'], ['Denied', 'number'], ['p99', 'number'], ['Degraded', 'number'], ['Up', 'number']],
      told.nodes.map(each => row(each, versions, hashes, withRegions)))}
    ${told.nodes.length === 1 ? empty('Servers that share a Redis or a database see each other here:', 'weir serve --store redis://host:6379') : nothing}
    ${ruleSources(data('sources'))}`;
}
