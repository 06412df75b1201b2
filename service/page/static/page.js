// The script of the pages: live changes, dragging, the earliest place, and the reader's time zone. Without it everything works by
// links and forms.
const $ = (selector, inside = document) => inside.querySelector(selector)
const $$ = (selector, inside = document) => [...inside.querySelectorAll(selector)]
const service = document.body.dataset
const zone = service.zone, here = Intl.DateTimeFormat().resolvedOptions().timeZone
const epoch = +service.epoch, tick = +service.tick, minute = 60_000, hour = 60 * minute, day = 24 * hour
document.documentElement.classList.add('live')

// Wall time. A reading is what clocks show, as milliseconds of a clock that shows UTC.

const formats = {}
function reading(ms, zone) {
  formats[zone] ??= new Intl.DateTimeFormat('en', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
  })
  const p = Object.fromEntries(formats[zone].formatToParts(ms).map(part => [part.type, +part.value]))
  return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second)
}

// instant returns when clocks of the schedules show a local time: the first time if it comes twice, NaN if they skip it.
function instant(local) {
  const want = Date.parse(local + 'Z')
  const found = [-day, day].map(d => want - (reading(want + d, zone) - (want + d))).filter(ms => reading(ms, zone) === want)
  return found.length ? Math.min(...found) : NaN
}

const local = ms => new Date(reading(ms, zone)).toISOString().slice(0, 16)
const written = (ms, zone) => new Date(reading(ms, zone)).toLocaleString('en-GB',
  { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const between = (from, to, zone) => {
  const [a, b] = [written(from, zone), written(to, zone)], day = a.slice(0, a.lastIndexOf(' ') + 1)
  return a + ' – ' + (b.startsWith(day) ? b.slice(day.length) : b)
}
const differs = ms => reading(ms, zone) !== reading(ms, here)
const span = (from, to) => between(from, to, zone) + (differs(from) || differs(to) ? ` (${between(from, to, here)} in ${here})` : '')

// showHere writes the reader's time beside each time of the schedules, where the two differ.
function showHere(inside) {
  const add = (element, times, text) => {
    if (!times.some(differs)) return
    const own = document.createElement('span')
    own.className = 'here'
    own.textContent = text
    element.append(own)
    $('#here').textContent = ` The smaller times are those of ${here}, where you are.`
  }
  for (const s of $$('.span', inside)) {
    const times = $$('time', s).map(t => Date.parse(t.dateTime))
    add(s, times, between(...times, here))
  }
  for (const t of $$('time', inside).filter(t => !t.closest('.span'))) add(t, [Date.parse(t.dateTime)], ` (${written(Date.parse(t.dateTime), here)})`)
}

// Words for everybody, and for screen readers.

const fading = {}
function say(text, bad = false) {
  const place = bad ? 'refused' : 'said'
  $('#' + place).textContent = text
  clearTimeout(fading[place])
  fading[place] = setTimeout(() => { $('#' + place).textContent = '' }, bad ? 20_000 : 8000)
}

const later = (f, ms) => {
  let timer
  return (...args) => { clearTimeout(timer); timer = setTimeout(f, ms, ...args) }
}

// ask calls the API. A problem becomes an error with the reasons.
async function ask(method, path, body, headers = {}, signal) {
  const answer = await fetch(path, { method, signal, headers: { 'Content-Type': 'application/json', ...headers }, body: body && JSON.stringify(body) })
  const data = await answer.json().catch(() => ({}))
  if (answer.ok) return data
  const reasons = data.refusal?.reasons ?? (data.errors ?? []).map(e => e.what)
  throw Object.assign(new Error([data.detail ?? answer.statusText, ...reasons].join('; ')), { status: answer.status })
}

// Live changes: the part of the page that shows the desk is fetched anew.

const refresh = later(async () => {
  const part = $('#live')
  if (!part || held) return
  const address = new URL(part.dataset.at ?? location.pathname + location.search, location)
  const picture = $('.picture', part)
  if (picture) address.searchParams.set('width', Math.round(picture.clientWidth))
  const answer = await fetch(address).catch(() => null)
  if (!answer?.ok || held) return
  const fresh = $('#live', new DOMParser().parseFromString(await answer.text(), 'text/html'))
  if (!fresh || held) return
  const focused = part.contains(document.activeElement) ? document.activeElement : null
  if (part.dataset.at) fresh.dataset.at = part.dataset.at
  part.replaceWith(fresh)
  ready(fresh)
  if (focused?.matches('a')) $$('a', fresh).find(a => a.getAttribute('href') === focused.getAttribute('href') && a.tagName === focused.tagName)?.focus()
  else if (focused) $('.picture', fresh)?.focus()
}, 150)

const doings = {
  booked: 'was booked', committed: 'was committed', changed: 'was changed', moved: 'had to move', displaced: 'was displaced',
  cancelled: 'was cancelled', started: 'has started', ended: 'has ended', expired: 'has expired', waiting: 'waits for a place', closed: 'was closed', reopened: 'is open again',
}

// A page that nobody sees gives its stream up: browsers have few connections to a server. Seen again, it goes on behind what it knows.
let events, last = service.last
function hush() {
  events?.close()
  events = null
}
function listen() {
  if (document.hidden) return hush()
  if (events) return
  events = new EventSource('/v1/events?after=' + last)
  events.onmessage = message => {
    last = message.lastEventId || last
    const e = JSON.parse(message.data)
    if (!doings[e.what]) return
    const what = e.booking ? `Booking ${e.booking} of ${e.owner}` : e.schedule
    const bad = e.what === 'displaced' && e.owner === service.owner
    if (e.booking !== ours) say(`${what} ${doings[e.what]}${e.to ? ': ' + span(Date.parse(e.to.start), Date.parse(e.to.end)) : ''}.`, bad)
    refresh()
  }
  events.addEventListener('gone', refresh)
}

// The picture. A selection is a stretch of time in a lane: free time to be booked, or the time that one of my own bookings shall have.

let held = null // the selection, while it is made
let ours = 0 // the booking that this page has just moved, of which its event tells nothing new

function draw(svg) {
  const d = Object.fromEntries(Object.entries(svg.dataset).map(([k, v]) => [k, +v]))
  const figure = svg.closest('figure')
  const step = Math.max(tick, { day: 15 * minute, week: 30 * minute, month: hour }[figure.dataset.view])
  const msAt = x => epoch + tick * (d.start + (x - d.left) / (d.right - d.left) * (d.end - d.start))
  const xAt = ms => Math.max(d.left, Math.min(d.right, d.left + ((ms - epoch) / tick - d.start) / (d.end - d.start) * (d.right - d.left)))
  const snap = (ms, round = Math.round) => epoch + round((ms - epoch) / step) * step
  const [first, last] = [msAt(d.left), msAt(d.right)]
  const ghost = document.createElementNS(svg.namespaceURI, 'rect')
  ghost.setAttribute('class', 'ghost')
  const mine = new Set($$('a[data-mine]', $('#live')).map(a => a.getAttribute('href')))

  const place = event => {
    const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale }
  }
  const lanes = Math.round((d.bottom - d.rows) / d.row)
  const laneAt = y => Math.max(0, Math.min(lanes - 1, Math.floor((y - d.rows) / d.row)))

  function show(aloud) {
    if (!held) return ghost.remove()
    const [x, end] = [xAt(held.from), xAt(held.to)]
    for (const [k, v] of Object.entries({ x, width: Math.max(1, end - x), y: held.y, height: held.height })) ghost.setAttribute(k, v)
    svg.append(ghost)
    if (aloud) say(span(held.from, held.to))
  }

  function drop() {
    held = null
    show()
  }

  // take books the selection by the form, or gives a booking its new time.
  async function take() {
    const { from, to, lane, bar, seen } = held
    drop()
    if (!bar) return fill(from, to, figure.dataset.kind === 'servers' && d.lane === 1 ? lane : null)
    try {
      const b = await seen
      const wish = b.wish
      if (!wish) throw new Error('This booking is not yours to change.')
      const length = to - from
      wish.ready = new Date(from).toISOString()
      wish.deadline = new Date(to).toISOString()
      if (wish.parts.length === 1 && !wish.or) wish.parts[0].duration = `PT${length / 1000}S`
      else if (length !== Date.parse(b.end) - Date.parse(b.start)) throw new Error('Its parts cannot be made shorter or longer here.')
      const now = await ask('PUT', '/v1' + bar, wish, { 'If-Match': `"${b.etag}"` })
      ours = now.id
      setTimeout(() => { ours = 0 }, 3000)
      say(`Booking ${now.id} is now ${span(Date.parse(now.start), Date.parse(now.end))}.`)
    } catch (wrong) {
      say('It stays as it was: ' + wrong.message, true)
    }
    refresh()
  }

  // grip makes a selection of a bar, with its exact times and the state in which it was seen.
  function grip(a) {
    const r = $('rect', a), at = name => +r.getAttribute(name)
    const seen = ask('GET', '/v1' + a.getAttribute('href'))
    seen.catch(() => {})
    const bar = { bar: a.getAttribute('href'), seen, y: at('y'), height: at('height'), from: snap(msAt(at('x'))), to: snap(msAt(at('x') + at('width'))), moved: false }
    seen.then(b => {
      if (held === bar && !bar.moved) [bar.from, bar.to] = [Date.parse(b.start), Date.parse(b.end)]
    }, () => {})
    return bar
  }

  svg.addEventListener('dragstart', event => event.preventDefault())
  svg.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    const at = place(event), a = event.target.closest('a')
    if (a ? !mine.has(a.getAttribute('href')) : at.x < d.left || at.x > d.right || at.y < d.top || at.y > d.bottom) return
    const began = snap(msAt(at.x))
    const lane = laneAt(at.y)
    const bar = a && grip(a), edge = a && edgeOf(a, at.x)
    let original = null
    const move = event => {
      const now = place(event)
      if (!held) {
        if (Math.abs(now.x - at.x) < 4) return
        svg.setPointerCapture(event.pointerId)
        held = bar || { lane, y: at.y < d.rows ? d.rows : d.rows + lane * d.row, height: at.y < d.rows ? d.bottom - d.rows : d.row }
        if (bar) original = [bar.from, bar.to]
        held.moved = true
      }
      if (!bar) {
        const to = snap(msAt(now.x))
        held.from = Math.max(first, Math.min(began, to))
        held.to = Math.min(last, Math.max(held.from + step, began, to))
      } else {
        const by = snap(msAt(now.x)) - snap(msAt(at.x))
        held.from = original[0] + (edge === 'end' ? 0 : Math.min(by, edge ? original[1] - original[0] - step : by))
        held.to = original[1] + (edge === 'start' ? 0 : Math.max(by, edge ? original[0] - original[1] + step : by))
      }
      show(true)
    }
    const end = event => {
      svg.removeEventListener('pointermove', move)
      svg.removeEventListener('pointerup', end)
      svg.removeEventListener('pointercancel', end)
      if (!held) return
      const stay = event => event.preventDefault() // the click on the link that ends a drag
      svg.addEventListener('click', stay, true)
      setTimeout(() => {
        svg.removeEventListener('click', stay, true)
        if (event.type === 'pointerup') take()
        else drop()
      })
    }
    svg.addEventListener('pointermove', move)
    svg.addEventListener('pointerup', end)
    svg.addEventListener('pointercancel', end)
  })

  // edgeOf says which edge of a bar is near: "start", "end" or neither.
  function edgeOf(a, x) {
    const r = $('rect', a), left = +r.getAttribute('x'), width = +r.getAttribute('width')
    if (width < 18) return null
    return x - left < 6 ? 'start' : left + width - x < 6 ? 'end' : null
  }
  svg.addEventListener('pointermove', event => {
    const a = event.target.closest('a[data-mine]')
    a?.toggleAttribute('data-edge', !!edgeOf(a, place(event).x))
  })
  for (const a of $$('a', svg)) a.toggleAttribute('data-mine', mine.has(a.getAttribute('href')))

  // The same by keyboard: arrows move the selection, with Shift its end; Enter takes it, and Escape gives it up.
  svg.parentElement.addEventListener('keydown', event => {
    const a = event.target.closest('a')
    if (a && !mine.has(a.getAttribute('href'))) return
    if (event.key === 'Escape' && held) return drop()
    if (event.key === 'Enter' && held) {
      event.preventDefault()
      return addEventListener('keyup', () => held && take(), { once: true }) // so that the form, which take fills, does not get this key
    }
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key], lane = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!by && (!lane || a) || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    if (a && held?.bar !== a.getAttribute('href')) held = grip(a)
    else if (!a && (!held || held.bar)) {
      const from = Math.max(first, Math.min(last - hour, snap(Math.max(first, Date.now()), Math.ceil)))
      held = { from, to: from + Math.max(step, hour), lane: 0, y: d.rows, height: d.row }
      return show(true)
    }
    if (lane) {
      held.lane = Math.max(0, Math.min(lanes - 1, held.lane + lane))
      held.y = d.rows + held.lane * d.row
    } else if (event.shiftKey) held.to = Math.max(held.from + step, held.to + by)
    else [held.from, held.to] = [held.from + by, held.to + by]
    held.moved = true
    show(true)
  })
  svg.parentElement.addEventListener('focusout', () => { if (held && !held.moved) drop() })
}

// fill writes a selection into the form.
function fill(from, to, lane) {
  const form = $('#booking')
  if (!form) return say('You may look, and not book.', true)
  const f = form.elements
  from = Math.max(from, Math.ceil(Date.now() / tick) * tick)
  f.start.value = local(from)
  f.by.value = ''
  f.hours.value = Math.floor((to - from) / hour)
  f.minutes.value = Math.round((to - from) % hour / minute)
  if (f.servers) {
    f.servers.value = lane ?? ''
    if (lane !== null) f.servers.closest('details').open = true
  }
  form.scrollIntoView({ block: 'nearest' })
  f.title.focus()
  earliest()
}

// The earliest place of the form, while somebody types.

let asking
const earliest = later(async () => {
  const form = $('#booking'), shown = $('#earliest')
  const f = name => form.elements[name]?.value.trim() || undefined
  const count = name => f(name) && +f(name)
  const numbers = name => f(name)?.split(/[ ,]+/).flatMap(item => {
    const [a, b = a] = item.split('-').map(Number)
    return Array.from({ length: Math.max(0, b - a + 1) || 0 }, (_, i) => a + i)
  })
  const part = { schedule: form.dataset.schedule, units: count('units'), duration: `PT${count('hours') || 0}H${count('minutes') || 0}M`, servers: numbers('servers'), nodes: numbers('nodes'), perNode: count('perNode'), within: f('within'), packed: f('packed') }
  const each = $$('[name^="each."]', form).filter(i => +i.value > 0).map(i => [i.name.slice(5), +i.value])
  if (each.length) part.each = Object.fromEntries(each)
  const start = f('start') && instant(f('start'))
  if (Number.isNaN(start)) return shown.replaceChildren('Clocks skip this time.')
  if (!count('hours') && !count('minutes')) return shown.replaceChildren()
  asking?.abort()
  asking = new AbortController()
  try {
    const o = await ask('POST', '/v1/searches', { owner: f('owner'), ready: start && new Date(start).toISOString(), parts: [part] }, {}, asking.signal)
    const at = Date.parse(o.start), text = span(at, Date.parse(o.end))
    if (at === start) return shown.replaceChildren(`Free: ${text}.`)
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'second'
    button.textContent = 'Take it'
    button.onclick = () => {
      form.elements.start.value = local(at)
      form.elements.by.value = ''
      earliest()
    }
    shown.replaceChildren(`The earliest place: ${text}. `, button)
  } catch (wrong) {
    if (wrong.name !== 'AbortError') shown.replaceChildren(wrong.message)
  }
}, 250)

function ready(part) {
  showHere(part)
  const svg = $('svg.gantt', part)
  if (svg) draw(svg)
}

showHere(document)
const svg = $('svg.gantt')
if (svg) draw(svg)
$('#booking')?.addEventListener('input', earliest)
listen()
addEventListener('visibilitychange', listen)
addEventListener('pageshow', listen)
addEventListener('pagehide', hush)
const picture = $('.picture')
if (picture) {
  const fit = () => { if (Math.abs($('.picture').clientWidth - $('.picture svg').clientWidth) > 8) refresh() }
  addEventListener('resize', later(fit, 300))
  fit()
}
