// Draws lines over time on a canvas: axes, gaps, marks and the cursor. Knows nothing of where the numbers come from.
const AXIS = 46;
const BOTTOM = 18;
const GAP = 14;
const HEAD = 14;
const DASHES = { solid: [], dashed: [5, 3], dotted: [1.5, 3] };

/** Round numbers from 0 to at least `top`, three or four of them. */
export function ticks(top) {
  const rough = (top > 0 ? top : 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(each => each * power).find(each => each >= rough);
  return Array.from({ length: Math.ceil((top > 0 ? top : 1) / step - 1e-9) + 1 }, (_, index) => index * step);
}

const STEPS = [10, 30, 60, 120, 300, 600, 1800, 3600, 2 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400];

function timeTicks(from, to, width) {
  const step = STEPS.find(each => (to - from) / each <= width / 70) ?? STEPS.at(-1);
  const shift = new Date(from * 1000).getTimezoneOffset() * 60;
  const out = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at < to; at += step) out.push(at);
  return { step, at: out };
}

function timeText(at, step) {
  const date = new Date(at * 1000);
  const pad = number => String(number).padStart(2, '0');
  if (step >= 86400) return `${date.getMonth() + 1}/${date.getDate()}`;
  const minutes = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  return step < 60 ? `${minutes}:${pad(date.getSeconds())}` : minutes;
}

/** The least and the greatest value of each pixel, so that no peak is lost; a pixel without a value is a gap. */
export function perPixel(values, width) {
  const out = [];
  const n = values.length;
  for (let x = 0; x < width; x++) {
    const start = Math.floor((x * n) / width);
    const end = Math.max(start + 1, Math.floor(((x + 1) * n) / width));
    let low = Infinity;
    let high = -Infinity;
    let missing = false;
    for (let i = start; i < end && i < n; i++) {
      if (values[i] === null || values[i] === undefined) missing = true;
      else {
        low = Math.min(low, values[i]);
        high = Math.max(high, values[i]);
      }
    }
    out.push(low === Infinity || (missing && end - start === 1) ? null : [low, high]);
  }
  return out;
}

const has = value => value !== null && value !== undefined;

/** A point between two gaps has no line: it gets a dot. */
function drawSingles(context, values, box, y) {
  values.forEach((value, index) => {
    if (!has(value) || has(values[index - 1]) || has(values[index + 1])) return;
    context.beginPath();
    context.arc(box.x + ((index + 0.5) / values.length) * box.width, y(value), 2, 0, 2 * Math.PI);
    context.fill();
  });
}

function drawLine(context, series, box, top) {
  const y = value => box.y + box.height - (value / top) * box.height;
  const n = series.values.length;
  context.strokeStyle = series.colour;
  context.fillStyle = series.colour;
  context.lineWidth = 1.5;
  context.setLineDash(DASHES[series.line] ?? []);
  context.beginPath();
  let drawing = false;
  const point = (x, value) => {
    if (!drawing) context.moveTo(x, y(value));
    context.lineTo(x, y(value));
    drawing = true;
  };
  if (n > box.width) {
    perPixel(series.values, Math.round(box.width)).forEach((pixel, index) => {
      if (pixel === null) {
        drawing = false;
        return;
      }
      point(box.x + index, pixel[1]);
      if (pixel[0] !== pixel[1]) context.lineTo(box.x + index, y(pixel[0]));
    });
  } else {
    series.values.forEach((value, index) => {
      if (!has(value)) drawing = false;
      else point(box.x + ((index + 0.5) / n) * box.width, value);
    });
  }
  context.stroke();
  context.setLineDash([]);
  if (n <= box.width) drawSingles(context, series.values, box, y);
  if (series.fill) {
    context.globalAlpha = 0.12;
    fillUnder(context, series.values, box, y);
    context.globalAlpha = 1;
  }
}

function fillUnder(context, values, box, y) {
  const n = values.length;
  const x = index => box.x + ((index + 0.5) / n) * box.width;
  let start = -1;
  for (let i = 0; i <= n; i++) {
    const has = i < n && values[i] !== null && values[i] !== undefined;
    if (has && start < 0) start = i;
    if (!has && start >= 0) {
      context.beginPath();
      context.moveTo(x(start), box.y + box.height);
      for (let j = start; j < i; j++) context.lineTo(x(j), y(values[j]));
      context.lineTo(x(i - 1), box.y + box.height);
      context.fill();
      start = -1;
    }
  }
}

const topOf = panel => {
  let top = panel.least ?? 0;
  for (const series of panel.series) {
    for (const value of series.values) if (value > top) top = value;
  }
  return top;
};

/** Where each panel is drawn. */
function boxes(panels, width, height) {
  const room = height - BOTTOM - panels.length * HEAD - (panels.length - 1) * GAP;
  const weights = panels.map(panel => panel.weight ?? 1);
  const all = weights.reduce((sum, each) => sum + each, 0);
  let y = 0;
  return weights.map(weight => {
    const box = { x: AXIS, y: y + HEAD, width: width - AXIS - 8, height: (room * weight) / all };
    y += HEAD + box.height + GAP;
    return box;
  });
}

/** The index of the interval below a pixel, or -1. */
export function indexAt(x, width, length) {
  const share = (x - AXIS) / (width - AXIS - 8);
  return share < 0 || share > 1 || length === 0 ? -1 : Math.min(length - 1, Math.floor(share * length));
}

/** Draws {panels, from, step, length, marks} with the colours of `ink`; `cursor` is the index of an interval, or -1. */
export function draw(context, chart, width, height, ink, cursor) {
  context.clearRect(0, 0, width, height);
  context.font = `11px ${ink.font}`;
  const { from, step, length } = chart;
  const end = from + step * length;
  const all = boxes(chart.panels, width, height);
  const xOf = at => AXIS + ((at - from) / (end - from)) * (width - AXIS - 8);
  const times = timeTicks(from, end, width - AXIS);
  const bottom = all.at(-1).y + all.at(-1).height;
  chart.panels.forEach((panel, index) => {
    const box = all[index];
    const scale = ticks(topOf(panel));
    const top = scale.at(-1);
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    scale.forEach(value => {
      const y = Math.round(box.y + box.height - (value / top) * box.height) + 0.5;
      context.strokeStyle = ink.grid;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(box.x, y);
      context.lineTo(box.x + box.width, y);
      context.stroke();
      context.fillStyle = ink.quiet;
      context.fillText(panel.format(value), AXIS - 6, y);
    });
    context.textAlign = 'left';
    context.fillText(panel.title, box.x, box.y - HEAD / 2);
    context.save();
    context.beginPath();
    context.rect(box.x, box.y - 2, box.width, box.height + 3);
    context.clip();
    panel.series.filter(series => panel.series.length === 1 || series.values.some(value => value > 0)).forEach(series => drawLine(context, series, box, top));
    context.restore();
  });
  context.textBaseline = 'top';
  context.textAlign = 'center';
  context.fillStyle = ink.quiet;
  const widest = context.measureText(timeText(from, times.step)).width / 2;
  times.at.filter(at => xOf(at) > AXIS + widest - 8 && xOf(at) < width - widest).forEach(at => context.fillText(timeText(at, times.step), xOf(at), bottom + 5));
  for (const mark of chart.marks ?? []) {
    if (mark.at < from || mark.at > end) continue;
    const x = Math.round(xOf(mark.at)) + 0.5;
    context.strokeStyle = ink.quiet;
    context.fillStyle = ink.text;
    context.setLineDash(mark.kind === 'restart' ? [2, 2] : []);
    context.globalAlpha = mark.kind === 'restart' ? 1 : 0.55;
    context.beginPath();
    context.moveTo(x, all[0].y);
    context.lineTo(x, bottom);
    context.stroke();
    context.globalAlpha = 1;
    context.setLineDash([]);
    context.fillText(mark.kind === 'restart' ? '⟳' : '◆', x, all[0].y - 13);
  }
  if (cursor >= 0 && cursor < length) {
    const x = Math.round(AXIS + ((cursor + 0.5) / length) * (width - AXIS - 8)) + 0.5;
    context.strokeStyle = ink.text;
    context.beginPath();
    context.moveTo(x, all[0].y);
    context.lineTo(x, bottom);
    context.stroke();
  }
}

/** Draws one line without axes into the whole canvas. */
export function spark(context, values, width, height, colour) {
  context.clearRect(0, 0, width, height);
  const top = Math.max(...values.map(value => value ?? 0)) || 1;
  drawLine(context, { values, colour, line: 'solid', fill: true }, { x: 0, y: 2, width, height: height - 3 }, top);
}
