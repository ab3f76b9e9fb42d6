"""The map page's layout in Chromium: at every size and in every state nothing overlaps, everything can be read and touched."""

import pytest

from chromium import Chromium
from map_page import SHOTS, desktop, opened, shot
from map_server import MapServer

pytestmark = desktop

SIZES = {
    "smallest": (320, 240), "smallest upright": (240, 320),
    "tiny": (320, 480), "narrow": (320, 568), "small phone": (375, 667), "phone": (390, 844), "board": (480, 800), "across": (844, 390), "low": (667, 320),
    "board across": (800, 480), "small across": (480, 320), "scaled across": (533, 320), "desktop": (1280, 800), "wide": (1920, 1080),
}

# The longest texts that the daemon sends.
LONGEST = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrentenkassenhaus"[:64]
FAILED = """{ class: 'STATE', state: 'failed', source: 'serial', error: 'denied',
  message: '/dev/serial/by-id/usb-u-blox_AG_-_www.u-blox.com_u-blox_GNSS_receiver-if00: permission denied (group root)',
  remedy: 'sudo chgrp dialout /dev/ttyACM0; sudo chmod g+rw /dev/ttyACM0 (permanently: a udev rule with GROUP="dialout", ' +
    'MODE="0660"), sudo usermod -aG dialout rider, then restart the service or log in again' }"""
TRIP = """page.daemon.onLine({ class: 'TRIP', name: 'day', state: 'paused', distance: 1_234_567, duration: 7e5, movingTime: 359_940,
  ascent: 21_345, descent: 21_000, averageSpeed: 27.77, maxSpeed: 40, lap: 1, lapDistance: 0, lapMovingTime: 0 });
  page.daemon.onHeartbeat({ mayControl: true });
  page.daemon.onLine({ class: 'RECORD', state: 'recording', distance: 1, movingTime: 1, ascent: 1, averageSpeed: 1 })"""
COURSE = f"""class: 'COURSE', name: '{LONGEST}', along: 1e6, remaining: 1_234_567, time: '2026-05-01T10:00:00Z', eta: 86_340,
  ascent: 12_345, grade: -10.4"""
TEXT = f"Turn sharp right into the {LONGEST}, and then at once left into the {LONGEST}"
CUE = f"""page.daemon.onLine({{ {COURSE}, state: 'on', climb: 12_345, climbAscent: 1234, cueDistance: 12_345, cueKind: 'sharp_right',
  cue: '{TEXT}' }})"""
TARGET = f"""page.daemon.onLine({{ class: 'ARRIVAL', name: '{LONGEST}', state: 'arriving', lat: 48.2, lon: 11.6, distance: 1.5,
  bearing: 40 }})"""
MENU = "page.view.onMenu({ latlng: page.view.map.getCenter(), containerPoint: page.view.map.getSize() })"
OWN_TARGET = f"""{MENU}; document.querySelector('#menu button').click();
  page.daemon.onLine({{ class: 'ARRIVAL', name: page.viewName, state: 'away', lat: 48.2, lon: 11.6, distance: 12_345, bearing: 40, eta: 45_240 }})"""
PROFILE = f"""{CUE}; {TRIP};
  page.view.course.profile = {{ length: 2.2e6, low: -123, high: 12_345, means: Array.from({{ length: 160 }}, (_, x) => 6000 * Math.sin(x / 9) ** 2) }}; {CUE}"""
NEAR = f"""{PROFILE}; page.view.course.cues = [{{ at: 1_000_199, text: '{TEXT}' }}, {{ at: 1_000_398, text: 'b', kind: 'left' }}];
  page.daemon.onLine({{ ...page.view.course.report, cueDistance: 199 }})"""
NEARER = f"{NEAR}; page.daemon.onLine({{ ...page.view.course.report, along: 1_000_190, cueDistance: 9 }})"
STATES = {
    "tracking": "void 0",
    "trip": TRIP,
    "target": f"{TRIP}; {TARGET}",
    "own target": f"{TRIP}; {OWN_TARGET}",
    "cue": CUE,
    "near": NEAR,
    "nearer": NEARER,
    "profile": PROFILE,
    "before": f"page.daemon.onLine({{ {COURSE}, state: 'before', distance: 12_345, bearing: 215 }})",
    "off": f"page.daemon.onLine({{ {COURSE}, state: 'off', distance: 1234, bearing: 215 }})",
    "finished": f"page.daemon.onLine({{ {COURSE}, state: 'finished' }})",
    "lost": f"{PROFILE}; {TARGET}; page.daemon.onLine({{ class: 'STATE', state: 'lost', source: 'recording', jamming: 'critical' }})",
    "free": f"{PROFILE}; {TARGET}; page.daemon.onLine({{ class: 'FOLLOW', view: page.viewName, following: false }})",
    # As while riding: a recording has no profile in this size.
    "riding": f"page.daemon.onLine({{ class: 'ERROR', request: 'PLAYBACK' }}); {PROFILE}",
    "failed": f"page.daemon.onLine({FAILED})",
    "disconnected": "page.daemon.onLost('no daemon at /run/handlebar/location.sock (No such file or directory); start it with:"
                    " systemctl start handlebard; without a receiver: make run, or handlebarctl replay FILE')",
}
# As after a start, with a fix.
BEGIN = """page.daemon.onLine({ class: 'FOLLOW', view: page.viewName, following: true }); page.daemon.onOpen();
  page.daemon.onLine({ class: 'STATE', state: 'tracking', mode: 3, source: 'recording' });
  page.daemon.onLine({ class: 'PLAYBACK', file: 'city.nmea', position: 9, duration: 481, speed: 1, paused: false, ended: false })"""

# What is wrong with the page as it is shown: a list of sentences.
AUDIT = """
((least) => {
  const found = []
  const all = (selector) => [...document.querySelectorAll(selector)].filter(
    (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getBoundingClientRect().width)
  const name = (one) => `${one.closest('[id]').id} ${one.localName} ${one.className.baseVal ?? one.className}`
  const boxes = all('.card, #scale, #attribution').map((one) => [one, one.getBoundingClientRect()])
  for (const [one, { left, top, right, bottom }] of boxes) {
    if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) found.push(`${name(one)} leaves the window`)
    for (const [other, box] of boxes) {
      if (one === other) break
      if (left < box.right && box.left < right && top < box.bottom && box.top < bottom) found.push(`${name(one)} covers ${name(other)}`)
    }
  }
  // The rider is not covered, unless there is none.
  const isRiding = document.querySelector('#state').dataset.kind === 'good'
  const map = document.querySelector('#map').getBoundingClientRect()
  // At least half of the screen is map, without the dock over it.
  const dock = document.querySelector('#dock').getBoundingClientRect()
  const width = Math.max(0, Math.min(dock.right, map.right) - Math.max(dock.left, map.left))
  const height = Math.max(0, Math.min(dock.bottom, map.bottom) - Math.max(dock.top, map.top))
  const share = (map.width * map.height - width * height) / innerWidth / innerHeight
  if (isRiding && share < 0.5) found.push(`the map has ${Math.round(100 * share)} % of the screen`)
  for (const [one, { left, top, right, bottom }] of isRiding ? boxes : []) {
    // In the middle of what the map is drawn on, also when it is turned.
    const sheet = document.querySelector('#sheet').getBoundingClientRect()
    const [x, y] = [sheet.left + sheet.width / 2, sheet.top + sheet.height / 2]
    if (left < x + 24 && right > x - 24 && top < y + 24 && bottom > y - 24) found.push(`${name(one)} covers the rider`)
  }
  // Without a fix, distances are not those of now.
  const old = isRiding ? [] : all('#guide, #target, #progress').filter((one) => getComputedStyle(one).opacity === '1')
  for (const one of old) found.push(`${name(one)} is shown as one of now`)
  // What an arrow draws stays in its card, though its box is turned.
  for (const one of all('.card :not(svg)')) {
    const [{ left, right }, card] = [one.getBoundingClientRect(), one.closest('.card').getBoundingClientRect()]
    if (left < card.left - 1 || right > card.right + 1) found.push(`${name(one)} leaves its card`)
  }
  for (const one of all('button, input')) {
    const { width, height } = one.getBoundingClientRect()
    if (width < 44 || height < 44) found.push(`${name(one)} is ${width} × ${height}`)
    if (!(one.ariaLabel || one.textContent.trim())) found.push(`${name(one)} has no name`)
  }
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((value, index) => a * value + (1 - a) * below[index])
  const background = (one) => {
    if (!one) return parts(getComputedStyle(document.body).backgroundColor)
    return over(parts(getComputedStyle(one).backgroundColor), background(one.parentElement))
  }
  const light = (colour) => colour.map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const opacity = (one) => (one ? getComputedStyle(one).opacity * opacity(one.parentElement) : 1)
  for (const one of all('#top *, #controls *, #dock *, #legend *')) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue
    const style = getComputedStyle(one)
    const below = background(one)
    const isDimmed = opacity(one) < 1
    const ratio = contrast(over([...parts(style.color).slice(0, 3), opacity(one)], below), below)
    if (ratio < (isDimmed ? 4.5 : least)) found.push(`${name(one)} '${one.textContent}' has a contrast of ${ratio.toFixed(1)}`)
    if (parseFloat(style.fontSize) < 12) found.push(`${name(one)} is written in ${style.fontSize}`)
    const isCut = one.scrollWidth > one.clientWidth + 1 && style.display !== 'inline' && style.textOverflow !== 'ellipsis'
    // What ends with an ellipsis in its last line ends at a letter.
    const lines = document.createRange()
    lines.selectNodeContents(one)
    // Its last line, which ends before the ellipsis.
    const last = [...lines.getClientRects()].findLast(({ bottom }) => bottom < one.getBoundingClientRect().bottom + 2)
    const isCutAtWord = one.matches('#cue p') && one.scrollHeight > one.clientHeight + 1 && last.width < one.clientWidth - 40
    // On a small screen there is room for one beside a climb, and upright on the smallest at a turn.
    const isFull = all('#climb')[0] || (innerWidth < 280 && one.closest('[data-near]'))
    if (one.matches('#cue p') && one.scrollWidth > one.clientWidth + 1 && !isFull) found.push(`${name(one)} has one line`)
    if (one.matches('#target p') && lines.getClientRects().length > 1) found.push(`${name(one)} '${one.textContent}' is broken`)
    if (isCut || isCutAtWord) found.push(`${name(one)} '${one.textContent}' is cut`)
  }
  // At a turn, its distance is read first.
  const size = (one) => parseFloat(getComputedStyle(one).fontSize)
  const [away] = all('[data-near] #cue b')
  const larger = away && all('#top *, #dock *').filter((one) => size(one) >= size(away) && !away.contains(one) && !one.contains(away))
  if (larger?.length) found.push(`${name(larger[0])} is as large as the distance to the turn`)
  // Its words are below, and the turn after it is not at the place of its sign.
  const box = (one) => one.getBoundingClientRect()
  const [words, after, sign] = ['[data-near] #cue p', '#then', '#cue > svg'].map((one) => all(one)[0])
  if (words && box(words).top < box(away).bottom - 1) found.push('the words of the turn are beside its distance')
  if (after && box(after).left < box(sign).right) found.push('the turn after is at the place of the turn')
  // Signs, WCAG 1.4.11.
  const root = getComputedStyle(document.documentElement)
  const hex = (variable) => root.getPropertyValue(variable).trim().match(/[0-9a-f]{2}/g).map((pair) => parseInt(pair, 16))
  for (const sign of ['--trail', '--course', '--rider', '--accent', '--good', '--wait', '--bad']) {
    const ratio = contrast(hex(sign), hex('--ground'))
    if (ratio < 3) found.push(`${sign} has a contrast of ${ratio.toFixed(1)}`)
  }
  return found
})
"""


# Nothing fades or slides, and two frames have not moved anything.
REST = """
new Promise((done) => {
  const layout = () => [...document.querySelectorAll('.card, .card *, #legend *')].map((one) => Object.values(one.getBoundingClientRect().toJSON())).join()
  let last
  const look = () => {
    const now = layout()
    if (now === last && !document.getAnimations().length) return done()
    last = now
    requestAnimationFrame(() => requestAnimationFrame(look))
  }
  look()
})
"""


def flaws(page, *audits):
    """What is wrong with the page once it has come to rest, with what it shows from time to time."""
    page.run("page.tick()")
    page.run(REST)
    return [one for audit in audits for one in page.run(audit)]


def in_every_state(page, states, what, *audits):
    """What is wrong at each size in each state. The page is loaded once, and resized once for a size."""
    # The daemon would answer, and change the state.
    page.run("page.daemon.send = () => true; void 0")
    found = []
    for name, (width, height) in SIZES.items():
        page.resize(width, height, 2 if SHOTS and width < 1000 else 1)
        for state in states:
            page.run(f"{{ {BEGIN}; {STATES[state]} }}")
            found += [f"{name}, {state}: {flaw}" for flaw in flaws(page, *audits)]
            shot(page, f"{what}-{state}-{name}")
    return found


def test_a_flaw_that_comes_late_is_found(folder):
    with opened(folder) as (_, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        page.run("document.querySelector('#dock').style.transition = 'left 1s'; void 0")
        page.frames(2)
        page.run("document.querySelector('#dock').style.left = '-40px'; void 0")
        assert any("leaves the window" in one for one in flaws(page, f"{AUDIT}(7)"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("theme", ["day", "night"])
def test_everything_can_be_read_and_touched(folder, theme):
    """Text has a contrast of 7 by day, for the sun, and 4.5 by night; controls are at least 44 pixels large. By night with the
    way ahead up."""
    with opened(folder, camera=theme == "night") as (_, _, page):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        page.until("document.querySelector('#state').dataset.kind === 'good' && !document.querySelector('#seek').disabled")
        for _ in range(1 if theme == "day" else 2):
            page.key("n")
        assert page.run("document.documentElement.dataset.theme") == theme
        page.run("document.querySelector('#attribution').textContent = '© OpenStreetMap contributors'")
        found = in_every_state(page, STATES, theme, f"{AUDIT}({7 if theme == 'day' else 4.5})")
        assert not found, "\n".join(found)


# The sizes of what a rider reads and touches.
RIDING = """
(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
  const size = (one) => parseFloat(getComputedStyle(one).fontSize)
  // At a turn, and on the smallest screens, the speed makes room.
  const isSmallest = Math.min(innerWidth, innerHeight) < 280
  const least = isSmallest ? 44 : shown('[data-near]').length && (innerHeight <= 500 || innerWidth <= 360) ? 64 : 96
  const found = shown('#speed b').filter((one) => size(one) < least)
    .concat(shown('#dock dd').filter((one) => size(one) < (isSmallest ? 24 : 32)))
  const small = shown('button, input').filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 64)
  return [...found, ...small].map((one) => `${one.closest('[id]').id} ${one.localName} ${size(one)} ${one.offsetWidth} × ${one.offsetHeight} is too small`)
})()
"""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("camera", [False, True])
def test_the_riding_size_can_be_read_at_a_glance_and_touched_with_gloves(folder, camera):
    """The speed has 96 pixels, values 32 and targets of a finger 64; nothing overlaps; the choice is kept."""
    with opened(folder, camera=camera) as (_, _, page):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        page.until("document.querySelector('#state').dataset.kind === 'good' && !document.querySelector('#seek').disabled")
        page.click("#speed")
        assert page.run("document.querySelector('#speed').ariaPressed") == "true"
        page.mouse("mouseMoved", 2, 2)
        found = in_every_state(page, STATES, f"riding{'-turned' * camera}", f"{AUDIT}(7)", RIDING)
        assert not found, "\n".join(found)
        page.call("Page.reload")
        page.until("globalThis.page?.fix !== undefined && document.body.dataset.size === 'riding'")
        page.key("r")
        assert page.run("document.body.dataset.size") == "reading"


def test_the_words_of_a_turn_are_whole_on_a_phone(folder):
    """In the size for riding, beside the turn after it."""
    with opened(folder) as (_, _, page):
        page.key("r")
        page.run("page.daemon.send = () => true; void 0")
        for name in ("small phone", "phone", "board"):
            page.resize(*SIZES[name])
            page.run(f"{{ {BEGIN}; {NEAR.replace(TEXT, 'Right onto Leopoldstraße')} }}")
            page.run(REST)
            assert page.run("document.querySelector('#then').checkVisibility()")
            over = "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('#cue p'))"
            assert page.run(over) <= 1, name


# What is wrong with the ride's panel, or the menu.
PANEL = """
((selector, least) => {
  const panel = document.querySelector(selector)
  const { left, top, right, bottom } = panel.getBoundingClientRect()
  const found = []
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) found.push(`${selector} leaves the window`)
  if (panel.scrollWidth > panel.clientWidth) found.push(`${selector} is wider than it shows`)
  for (const one of panel.querySelectorAll('button, b, p')) {
    const box = one.getBoundingClientRect()
    const name = `${one.localName} '${one.ariaLabel ?? one.textContent}'`
    if (box.left < left || box.right > right || (getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1)) found.push(`${name} is cut`)
    if (one.localName === 'button' && Math.min(box.width, box.height) < least) found.push(`${name} is ${box.width} × ${box.height}`)
  }
  // The way out is in reach wherever it is scrolled to.
  panel.scrollTop = 1e6
  const close = panel.querySelector('header button')?.getBoundingClientRect()
  if (close?.top < top || close?.bottom > bottom) found.push('the button that closes it is scrolled away')
  panel.scrollTop = 0
  return found
})
"""


@pytest.mark.parametrize("size", ["reading", "riding"])
def test_the_panel_of_the_ride_and_the_menu_fit_and_can_be_touched(folder, size):
    """With the longest names, at every size."""
    with opened(folder) as (_, _, page):
        if size == "riding":
            page.key("r")
        page.run(f"""{{ {TRIP}
          page.daemon.onLine({{ class: 'TRIP', name: 'Trip', state: 'moving', distance: 12_345, movingTime: 3600, lap: 3 }})
          page.daemon.onLine({{ class: 'COURSE', name: 'Tour', state: 'kept', remaining: 1 }})
          page.daemon.onLine({{ {COURSE}, state: 'on' }})
          page.daemon.onLine({{ class: 'ARRIVAL', name: '{LONGEST}', state: 'away', lat: 48.2, lon: 11.6, distance: 1234 }})
          document.querySelector('#record').disabled = false
          document.querySelector('#record').click()
        }}""")
        page.until("document.querySelectorAll('#panel li').length >= 5")
        found = []
        for name, (width, height) in SIZES.items():
            page.resize(width, height, 2 if width < 1000 else 1)
            page.run(f"void {MENU}")
            least = 64 if size == "riding" else 48
            found += [f"{name}: {what}" for what in flaws(page, f"{PANEL}('#panel', {least})", f"{PANEL}('#menu', {least})")]
            shot(page, f"panel-{size}-{name}")
        assert not found, "\n".join(found)


def test_the_keyboard_reaches_everything(folder):
    """Every control has a visible focus, in the order of the page; the map's menu opens with a key."""
    with opened(folder) as (_, _, page):
        page.until("!document.querySelector('#seek').disabled")
        reached = []
        for _ in range(30):
            one = page.run("document.activeElement.id")
            if one in reached:
                break
            if one:
                reached.append(one)
                outline = page.run(
                    "(() => { const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);"
                    " return [outlineStyle, parseFloat(outlineWidth)] })()")
                assert outline == ["solid", 3], (one, outline)
            page.key("Tab")
        assert reached == ["map", "night", "north", "closer", "farther", "speed", "play", "seek", "pace"]
        page.run("document.querySelector('#map').focus()")
        page.key("t")
        page.until("document.activeElement.closest('#menu') !== null")
        page.key("Escape")
        assert page.run("document.querySelector('#menu').hidden && document.activeElement.id === 'map'")
        page.key("t")
        page.key("Enter")
        page.until("document.querySelector('#target b').textContent === 'Target'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_systems_preferences_are_followed(folder, scheme):
    """Before the first position, the theme is the system's; with reduced motion, nothing slides."""
    with MapServer(folder / "absent") as server, Chromium(folder) as page:
        page.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
        page.open(server.url)
        page.until("globalThis.page !== undefined")
        assert page.run("document.documentElement.dataset.theme") == {"light": "day", "dark": "night"}[scheme]
        assert page.run("page.view.map.options.zoomAnimation || page.view.map.options.inertia") is False
        page.errors.clear()
