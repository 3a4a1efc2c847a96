// Small parts that every page is built of: names, bars, badges, notes.
import { html, nothing, svg } from './lit-html.js';
import { count, known, share, span, visible } from './format.js';
import { caller, rule as ruleAddress } from './route.js';

/** Text of a stranger, kept apart from the writing direction of what is beside it. */
export const name = text => html`<bdi class="name" title=${visible(text)}>${visible(text)}</bdi>`;

export const code = text => html`<code>${text}</code>`;

/** Attributes as the server writes a key, but whole and in their own letters. */
export const pairs = attributes => Object.entries(attributes).map(([key, value]) => `${key}=${value}`).join(', ');

/** Attributes as `pairs` writes them; the line may break before a value, and a phone shows their names smaller. */
const keyName = attributes => html`<bdi class="name" title=${visible(pairs(attributes))}>${Object.entries(attributes).map(([key, value], index) =>
  html`${index ? ', ' : ''}<span class="attribute">${visible(key)}=</span><wbr>${visible(value)}`)}</bdi>`;

/** A key of a caller; a link to the caller if its attributes are known. */
export function key(entry) {
  if (entry.hashed) return html`<span class="name" title="Your role sees a hash in the place of the key">${entry.key}</span>`;
  if (!entry.key) return html`<span class="quiet">all together</span>`;
  return entry.attributes ? html`<a data-open href=${caller(entry.domain, entry.attributes)}>${keyName(entry.attributes)}</a>` : name(entry.key);
}

/** A rule with its domain, as a link. */
export const rule = (domain, label, open = false) => html`<a ?data-open=${open} href=${ruleAddress(domain, label)}>${name(label)}</a>
  <span class="quiet domain">${name(domain)}</span>`;

/** Used of a limit: a bar that is striped beyond its end; `blocked` if nothing more passes, `unknown` without a value. */
export function usage(value, blocked = value > 1, unknown = 'no traffic') {
  if (!known(value)) return html`<span class="quiet">${unknown}</span>`;
  const over = value > 1;
  const width = Math.max(value > 0 ? 2 : 0, Math.min(1, value) * 100);
  return html`<span class="usage"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="10"/>
    <rect class=${blocked ? 'ink-denied' : value >= 0.8 ? 'ink-degraded' : 'ink-allowed'} width=${width} height="10"/>
    ${over ? svg`${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(i => svg`<path class="stripe" d="M${i * 10 + 2} 10 l4 -10 h3 l-4 10z"/>`)}` : nothing}
  </svg><span class="number">${share(value)}${blocked ? html`<span class="glyph ink-denied" title="nothing more passes"> ▲</span>` : nothing}</span></span>`;
}

/** How a rule is enforced, where that is not simply on. */
export function modes(entry) {
  const out = [];
  if (entry.switched) out.push(['switched', entry.switched === 'rollout' ? 'rollout' : entry.switched, 'A switch overrides what is written']);
  if (entry.shadow && entry.switched !== 'shadow') out.push(['shadow', 'shadow', 'Counts, and denies nobody']);
  if (known(entry.rollout) && entry.rollout < 1) out.push(['shadow', `${Math.round(entry.rollout * 100)} %`, 'Denies this share of its callers']);
  if (entry.status === 'disabled') out.push(['off', 'disabled', 'Does not apply']);
  return out.map(([kind, text, title]) => html`<span class="badge ${kind}" title=${title}>${kind === 'shadow' || text === 'shadow' ? '◌ ' : ''}${text}</span> `);
}

/** The share of a rule's checks that it denied, or would have denied in shadow. */
export function deniedShare(entry) {
  if (!(entry.shadow_denied > 0) || entry.denied > 0) return share(entry.denied_share);
  return html`<span title="It would have denied these"><span class="glyph ink-shadow" aria-hidden="true">◌</span><span class="hidden">in shadow</span> ${share(entry.shadow_denied / (entry.allowed + entry.shadow_denied))}</span>`;
}

/** The class of a list in which all entries are of one domain, so that its name need not stand in each row. */
export const oneDomain = entries => (new Set(entries.map(each => each.domain)).size < 2 ? 'one-domain' : '');

/** Would a rule in shadow have denied? */
export function wouldHave(hour) {
  const all = hour.allowed + hour.denied + hour.shadow_denied;
  if (all === 0) return html`<span class="quiet">No traffic in the last hour.</span>`;
  return html`<span><span class="glyph ink-shadow" aria-hidden="true">◌</span> In shadow: would have denied <b class="number">${count(hour.shadow_denied)}</b>
    of <b class="number">${count(all)}</b> in the last hour (${share(hour.shadow_denied / all)}).</span>`;
}

/** The reasons for missing data, in the server's words. */
export const dropped = sentences => ((sentences ?? []).length === 0 ? nothing
  : html`<ul class="notes" aria-label="What is missing">${sentences.map(each => html`<li>◐ ${each}</li>`)}</ul>`);

/** Nothing here yet, and what to do next. */
export const empty = (text, command) => html`<p class="empty">${text}${command ? html` <code>${command}</code>` : nothing}</p>`;

/** The error of an answer that failed; nothing while there is data. */
export function missing(source) {
  if (source.data) return nothing;
  return source.error ? html`<p class="empty">${source.error}</p>` : html`<p class="quiet" role="status">Loading…</p>`;
}

/** A table that scrolls by itself where the page is narrow. */
export const table = (label, heads, rows) => html`<div class="scroll" tabindex="0" role="group" aria-label=${label}><table>
  <thead><tr>${heads.map(head => {
    const [text, kind] = [head].flat();
    return html`<th scope="col" class=${kind ?? ''}>${kind === 'unseen' ? html`<span class="hidden">${text}</span>` : text}</th>`;
  })}</tr></thead>
  <tbody>${rows}</tbody></table></div>`;

/** What each region used of the counters that regions share; nothing if there is none. */
export function regionsOf(counters) {
  const shared = counters.filter(each => each.regions);
  if (shared.length === 0) return nothing;
  return html`<section aria-labelledby="regions"><h2 id="regions">Regions that share a count</h2>${table('Regions', ['Rule', 'Region', ['Used', 'number'], ['Heard', 'number']], shared.flatMap(counter => counter.regions.map(each => html`<tr>
    <td>${rule(counter.domain, counter.rule)}</td><td>${name(each.region)}</td><td class="number">${count(each.used)}</td>
    <td class="number">${known(each.age) ? `${span(each.age)} ago` : 'not yet'}${each.silent ? ': silent, its share is kept' : ''}</td></tr>`)))}</section>`;
}

export const RANGES = ['15m', '6h', '14d'];
const RANGE_NAMES = { '15m': '15 min', '6h': '6 h', '14d': '14 d' };

/** The choice of a time range, each a link. */
export const ranges = (now, address) => html`<span class="choice" role="group" aria-label="Time range">${RANGES.map(each =>
  html`<a href=${address(each)} aria-current=${each === now ? 'true' : 'false'}>${RANGE_NAMES[each]}</a>`)}</span>`;
