// The frame of the dashboard: navigation, find, state of the connection, and the page of the address.
import { html, nothing, render } from './lit-html.js';
import './chart.js';
import * as bans from './bans.js';
import * as caller from './caller.js';
import * as changes from './changes.js';
import * as fleet from './fleet.js';
import * as find from './find.js';
import { span } from './format.js';
import * as keys from './keys.js';
import * as live from './live.js';
import * as load from './load.js';
import * as now from './now.js';
import { RANGES } from './parts.js';
import * as route from './route.js';
import * as rules from './rules.js';
import { signOut, who } from './sign-in.js';
import * as theme from './theme.js';
import * as tryIt from './try.js';

// Each page has: title, sources(params) that it watches, view(params, role, redraw), and may have enter(params).
const PAGES = { now, rules, caller, load, bans, fleet, changes, try: tryIt };
const THEMES = { system: '◐', light: '○', dark: '●' };
let role = null;
let caught = null;
let shown = '';
let asked = false;

const pageOf = ({ page }) => PAGES[page] ?? null;

function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

function navigation(page) {
  return html`<nav aria-label="Pages"><ul>${Object.entries(PAGES).map(([name, each]) => html`<li><a href=${route.to(name)}
    aria-current=${name === page ? 'page' : nothing}>${each.title}</a></li>`)}</ul></nav>`;
}

function connection() {
  const trouble = live.trouble();
  if (live.isPaused()) return html`<button class="state" @click=${() => live.pause(false)} title="Space goes on">❚❚ Paused</button>`;
  if (trouble) return html`<span class="state wrong">▲ ${trouble.age === null ? 'No answer' : `${span(trouble.age)} old`}</span>`;
  return html`<button class="state" @click=${() => live.pause(true)} title="Space pauses"><span class="glyph ink-allowed" aria-hidden="true">●</span> Live</button>`;
}

function banner() {
  const trouble = live.trouble();
  if (!trouble) return nothing;
  return html`<p class="banner" role="alert">▲ ${trouble.error}.${trouble.age === null ? '' : ` What you see is ${span(trouble.age)} old.`}</p>`;
}

function view(at) {
  const page = pageOf(at);
  if (page === null) return html`<h1>No such page</h1><p><a href=${route.to('now')}>Go to Now</a></p>`;
  return page.view(at.params, role, redraw);
}

function draw() {
  const at = route.current();
  const page = pageOf(at);
  document.title = `${page?.pageTitle?.(at.params) ?? page?.title ?? 'Not found'} · Weir`;
  render(html`
    <a class="skip" href="#main" @click=${event => { event.preventDefault(); document.getElementById('main').focus(); }}>Skip to the page</a>
    <header class="bar">
      <a class="home" href=${route.to('now')}>Weir</a>
      ${navigation(at.page)}
      <div class="tools">
        ${find.view(redraw)}
        ${connection()}
        <button class="icon" @click=${theme.next} title="Colours: ${theme.chosen()} (d)" aria-label="Colours: ${theme.chosen()}">${THEMES[theme.chosen()]}</button>
        <button class="icon" @click=${help} title="Keys (?)" aria-label="Keys">?</button>
        ${caught?.token ? html`<span class="quiet who" title="Signed in with a token">${caught.name} (${caught.role})
          <button @click=${signOut}>Sign out</button></span>` : nothing}
      </div>
    </header>
    <main id="main" tabindex="-1" class=${live.trouble() ? 'old' : ''}>
      ${banner()}
      ${view(at)}
    </main>
    <footer class="foot quiet"><a href="/api">API</a> <a href=${metrics()}>Metrics</a> <a href="/openapi.json">OpenAPI</a>
      <span>The same from a shell: <code>weir top</code>, <code>weir rules</code>, <code>weir explain</code>, <code>weir ban</code>, <code>weir audit</code></span></footer>`,
  document.getElementById('app'));
}

function metrics() {
  const port = document.querySelector('meta[name=weir-http-port]').content;
  return `${location.protocol}//${location.hostname}:${port}/metrics`;
}

function help() {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'help-title');
  render(html`<form method="dialog"><h2 id="help-title">Keys</h2>
    <dl class="keys">${keys.HELP.map(([key, text]) => html`<div><dt>${key.split(' ').map(each => html`<kbd>${each}</kbd> `)}</dt><dd>${text}</dd></div>`)}</dl>
    <div class="buttons"><button class="primary">Close</button></div></form>`, dialog);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
}

function nextRange() {
  const now = route.current().params.get('range') ?? RANGES[0];
  route.go(route.changed({ range: RANGES[(RANGES.indexOf(now) + 1) % RANGES.length] }));
}

function navigated() {
  const at = route.current();
  const page = pageOf(at);
  find.close();
  live.watch(page?.sources?.(at.params) ?? {});
  page?.enter?.(at.params, redraw);
  draw();
  if (shown && shown !== at.page) {
    window.scrollTo(0, 0);
    document.getElementById('main').focus({ preventScroll: true });
  }
  document.querySelector('.bar nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }); // on a phone it may be out of sight
  shown = at.page;
}

who.then(found => {
  caught = found;
  role = found?.role ?? null;
  redraw();
});
live.start(redraw);
theme.onChange(redraw);
keys.listen({ find: find.focus, go: page => route.go(route.to(page)), range: nextRange, pause: () => live.pause(), theme: theme.next, help });
window.addEventListener('hashchange', navigated);
setInterval(redraw, 1000); // ages grow while nothing is heard
navigated();
