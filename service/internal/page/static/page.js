// The script of the pages: live changes, dragging, the earliest place, and the reader's time zone. Without it everything works by
// links and forms.
const $ = (selector, inside = document) => inside.querySelector(selector)
const $$ = (selector, inside = document) => [...inside.querySelectorAll(selector)]
const service = document.body.dataset
const zone = service.zone, here = Intl.DateTimeFormat().resolvedOptions().timeZone
const epoch = +service.epoch, tick = +service.tick, minute = 60_000, hour = 60 * minute
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

const iso = ms => new Date(ms).toISOString()
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
    const times = timesOf(s)
    add(s, times, between(...times, here))
  }
  for (const t of $$('time', inside).filter(t => !t.closest('.span'))) add(t, [Date.parse(t.dateTime)], ` (${written(Date.parse(t.dateTime), here)})`)
}
const timesOf = inside => $$('time', inside).map(t => Date.parse(t.dateTime))

// Words for everybody, and for screen readers.

const fading = {}
function say(text, bad = false) {
  const place = bad ? 'refused' : 'said'
  $('#' + place).textContent = text
  clearTimeout(fading[place])
  fading[place] = setTimeout(() => { $('#' + place).textContent = '' }, bad ? 20_000 : 8000)
}

// soon returns a function that runs f a little later: once for all its calls until then, and never twice at the same time.
const soon = (f, ms) => {
  let timer, running
  const call = () => {
    timer ??= setTimeout(async () => {
      timer = null
      if (running) return call()
      running = true
      await f().catch(console.warn)
      running = false
    }, ms)
  }
  return call
}

// fetched returns the page of an address, or the one that answers a form with some fields, and whether all is well.
async function fetched(address, fields) {
  const answer = await fetch(address, fields && { method: 'POST', body: new URLSearchParams(fields) })
  return { ok: answer.ok, page: new DOMParser().parseFromString(await answer.text(), 'text/html') }
}

// Live changes: the part of the page that shows the desk is fetched anew, and news of the bookings in it are told.

let shown = $('#live')?.outerHTML, news = []
const concerns = (part, e) => !e.booking || location.pathname === '/bookings/' + e.booking || $(`a[href="/bookings/${e.booking}"]`, part)
const refresh = soon(async () => {
  const part = $('#live')
  if (!part || held) return
  const address = new URL(part.dataset.at ?? location.pathname + location.search, location), heard = news
  news = []
  const picture = $('.picture', part)
  if (picture) address.searchParams.set('width', Math.round(picture.clientWidth))
  const { ok, page } = await fetched(address)
  const fresh = ok && $('#live', page)
  if (!fresh || held) return
  const told = heard.filter(e => concerns(part, e) || concerns(fresh, e)).pop()
  if (told) say(told.text)
  if (fresh.outerHTML === shown) return
  shown = fresh.outerHTML
  const focused = part.contains(document.activeElement) ? document.activeElement : null
  part.replaceWith(fresh)
  ready(fresh)
  const key = e => e.tagName + (e.getAttribute('href') ?? e.textContent)
  if (focused) ($$(focused.tagName, fresh).find(e => key(e) === key(focused)) ?? $('.picture', fresh))?.focus()
}, 150)

const doings = {
  booked: 'was booked', committed: 'was committed', changed: 'was changed', moved: 'had to move', displaced: 'was displaced',
  cancelled: 'was cancelled', started: 'has started', ended: 'has ended', expired: 'has expired', waiting: 'waits for a place', closed: 'was closed', reopened: 'is open again',
}

// A page that nobody sees gives its stream up: browsers have few connections to a server. Seen again, it goes on behind what it knows.
// A browser tries again by itself as long as nobody answers, but not after an answer such as 502 of a proxy.
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
    e.text = `${e.booking ? `Booking ${e.booking} of ${e.owner}` : e.schedule} ${doings[e.what]}${e.to ? ': ' + span(Date.parse(e.to.start), Date.parse(e.to.end)) : ''}.`
    if (e.what === 'displaced' && e.owner === service.owner) say(e.text, true)
    else if (e.booking !== ours) news.push(e)
    refresh()
  }
  events.addEventListener('gone', refresh)
  events.onerror = () => {
    if (events?.readyState !== EventSource.CLOSED) return
    hush()
    setTimeout(listen, 5000)
  }
}

// The picture. A selection is a stretch of time in a lane: free time to be booked, or the time that one of my own bookings shall have.

let held = null // the selection, while it is made
let ours = 0 // the booking that this page has just moved, of which its event tells nothing new

function draw(svg) {
  const d = Object.fromEntries(Object.entries(svg.dataset).map(([k, v]) => [k, +v]))
  const figure = svg.closest('figure'), picture = svg.parentElement
  const step = Math.ceil({ day: 15 * minute, week: 30 * minute, month: hour }[figure.dataset.view] / tick) * tick
  const msAt = x => epoch + tick * (d.start + (x - d.left) / (d.right - d.left) * (d.end - d.start))
  const xAt = ms => Math.max(d.left, Math.min(d.right, d.left + ((ms - epoch) / tick - d.start) / (d.end - d.start) * (d.right - d.left)))
  const snap = (ms, round = Math.round) => epoch + round((ms - epoch) / step) * step
  const [first, last] = [msAt(d.left), msAt(d.right)]
  const ghost = document.createElementNS(svg.namespaceURI, 'rect')
  ghost.setAttribute('class', 'ghost')
  const mine = new Map($$('tr a[data-mine]', $('#live')).map(a => [a.getAttribute('href'), a]))
  const own = a => mine.get(a?.getAttribute('href'))

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

  // drop gives the selection up, and shows what has changed meanwhile.
  function drop() {
    held = null
    show()
    refresh()
  }

  // take books the selection by the form, or moves a booking as the picture has shown it. A refusal comes with other places.
  async function take() {
    const { from, to, lane, bar, etag } = held
    drop()
    if (!bar) return fill(from, to, figure.dataset.kind === 'servers' && d.lane === 1 ? lane : null)
    ours = +bar.split('/').pop()
    const { ok, page } = await fetched(bar, { act: 'move', etag, start: iso(from), end: iso(to) }).catch(() => ({}))
    $$('.refusal').forEach(old => old.remove())
    setTimeout(() => { ours = 0 }, 3000)
    if (ok) say(`Booking ${ours} is now ${span(...timesOf($('.lead', page)))}.`)
    else {
      const why = page && $('.refusal', page)
      say('It stays as it was. ' + (page && $('.note.bad', page)?.textContent.trim() || 'The service does not answer.'), true)
      if (why) {
        $('#live').before(why)
        showHere(why)
        why.scrollIntoView({ block: 'nearest' })
      }
    }
    refresh()
  }

  // grip makes a selection of the bar of an own booking: its exact times and its state are in the table.
  function grip(a) {
    const r = $('rect', a), row = own(a), [from, to] = timesOf(row.closest('tr'))
    return { bar: a.getAttribute('href'), etag: row.dataset.mine, from, to, y: +r.getAttribute('y'), height: +r.getAttribute('height') }
  }

  svg.addEventListener('dragstart', event => event.preventDefault())
  svg.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    const at = place(event), a = event.target.closest('a')
    if (a ? !own(a) : at.x < d.left || at.x > d.right || at.y < d.top || at.y > d.bottom) return
    const began = snap(msAt(at.x)), lane = laneAt(at.y), edge = a && edgeOf(a, at.x)
    held = a ? grip(a) : { from: began, to: began, lane, y: at.y < d.rows ? d.rows : d.rows + lane * d.row, height: at.y < d.rows ? d.bottom - d.rows : d.row }
    const { from, to } = held
    let moved = false
    const ended = new AbortController()
    const on = (type, f) => addEventListener(type, f, ended) // of the whole window: a pointer may leave the picture
    const end = event => {
      ended.abort()
      if (!held || !moved || event.type !== 'pointerup') return drop()
      const stay = event => event.preventDefault() // the click on the link that ends a drag
      svg.addEventListener('click', stay, true)
      setTimeout(() => {
        svg.removeEventListener('click', stay, true)
        if (held) take()
      })
    }
    on('pointerup', end)
    on('pointercancel', end)
    on('pointermove', event => {
      const x = place(event).x, now = snap(msAt(x)), by = now - began
      if (!held || !moved && Math.abs(x - at.x) < 4) return
      moved = true
      if (a) {
        held.from = from + (edge === 'end' ? 0 : Math.min(by, edge ? to - from - step : by))
        held.to = to + (edge === 'start' ? 0 : Math.max(by, edge ? from - to + step : by))
      } else {
        held.from = Math.max(first, Math.min(began, now))
        held.to = Math.min(last, Math.max(held.from + step, began, now))
      }
      show(true)
    })
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
  for (const a of $$('a', svg)) a.toggleAttribute('data-mine', !!own(a))

  // The same by keyboard: arrows move the selection, with Shift its end; Enter takes it, and Escape gives it up.
  picture.addEventListener('keydown', event => {
    const a = event.target.closest('a')
    if (a && !own(a)) return
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
    show(true)
  })
  picture.addEventListener('focusout', event => { if (held && !picture.contains(event.relatedTarget)) drop() })
}

// fill writes a selection into the form.
function fill(from, to, lane) {
  const form = $('#booking')
  if (!form) return say('You may look, and not book.', true)
  const f = form.elements
  from = Math.max(from, epoch + Math.ceil((Date.now() - epoch) / tick) * tick)
  f.start.value = new Date(reading(from, zone)).toISOString().slice(0, 16)
  f.exact.value = `${iso(from)}/PT${(to - from) / 1000}S`
  f.by.value = ''
  f.hours.value = Math.floor((to - from) / hour)
  f.minutes.value = Math.ceil((to - from) % hour / minute)
  if (f.servers) {
    f.servers.value = lane ?? ''
    if (lane !== null) f.servers.closest('details').open = true
  }
  form.scrollIntoView({ block: 'nearest' })
  f.title.focus()
  earliest()
}

// The earliest place of the form, while somebody types.

const earliest = soon(async () => {
  const { page } = await fetched($('#booking').action, [...new FormData($('#booking')), ['act', 'search']])
  $('#earliest').replaceChildren(...$('#earliest', page)?.childNodes ?? [])
  showHere($('#earliest'))
}, 250)

function ready(part) {
  showHere(part)
  const svg = $('svg.gantt', part)
  if (svg) draw(svg)
}

ready(document)
$('#booking')?.addEventListener('input', earliest)
listen()
addEventListener('visibilitychange', listen)
addEventListener('pageshow', listen)
addEventListener('pagehide', hush)
if ($('.picture')) {
  const fit = () => { if (Math.abs($('.picture').clientWidth - $('.picture svg').clientWidth) > 8) refresh() }
  addEventListener('resize', fit)
  fit()
}
