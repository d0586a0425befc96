import type { Demonstration } from '../worker/demonstration.ts'

const LONGEST = 160
/** A pause in typing after which the text is sealed. */
const PAUSE_MS = 350
/** Until the bytes stand there, and with them the text on the other side. */
const [CARRIED_MS, READ_MS] = [1000, 1400]
/** What is read stands whole this long after it was asked for, however slow the machine and long the text. */
const WHOLE_MS = 3000
/** Characters of one group, and the first of the sealed body that are shown: before them stands a hash. */
const [GROUP, FROM] = [4, 60]

const partOf = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The landing has no #${id}`)
  return found
}

/**
 * Brings the middle of the landing to life once it is seen: seals what stands there, shows the bytes, and the text that the other side
 * opens from them. What is typed is sealed as well. Nothing of it leaves the page.
 */
export function livenPassage(): void {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    seen.disconnect()
    begin(performance.now()).catch(fail)
  })
  seen.observe(partOf('passage'))
}

/** Says that it stands still, and leaves the cause where bugs are reported. */
function fail(error: unknown): void {
  partOf('passage-said').textContent = 'The part that seals did not load. Reload the page to see it at work.'
  reportError(error)
}

async function begin(seenAt: number): Promise<void> {
  const { openDemonstration } = await import('../worker/demonstration.ts')
  const room = await openDemonstration(new Date())
  const [written, again] = [partOf('written'), partOf('again')]
  let turn = 0
  let queue = Promise.resolve()
  /** One after another: a device seals its messages in order. What was typed meanwhile is the newer text. */
  const play = (since = performance.now()) => {
    const own = ++turn
    const sealed = queue.then(() => (own === turn ? pass(room, written.textContent.trim()) : undefined))
    queue = sealed.then(() => undefined)
    return sealed.then((passed) => (passed && own === turn ? show(passed, { since, isNewest: () => own === turn }) : undefined))
  }
  let pause: ReturnType<typeof setTimeout> | undefined
  makeEditable(written, () => {
    clearTimeout(pause)
    pause = setTimeout(() => play().catch(fail), PAUSE_MS)
  })
  again.addEventListener('click', () => play().catch(fail))
  again.hidden = false
  await play(seenAt)
}

function makeEditable(written: HTMLElement, onChange: () => void): void {
  try {
    written.contentEditable = 'plaintext-only'
  } catch {
    // Browsers that do not know it would take pasted pictures: there the text stays as it is.
    return
  }
  const fields = { role: 'textbox', 'aria-label': 'Your text', 'aria-multiline': 'true', spellcheck: 'false' }
  for (const [name, value] of Object.entries(fields)) written.setAttribute(name, value)
  written.addEventListener('beforeinput', (event) => {
    const isLonger = event.inputType.startsWith('insert') && written.textContent.length + (event.data?.length ?? 1) > LONGEST
    if (isLonger || event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph') event.preventDefault()
  })
  written.addEventListener('input', onChange)
}

interface Passed {
  envelope: string
  opened: string
  sealMs: number
  openMs: number
}

interface Turn {
  /** When it was asked for, by the clock of `performance`. */
  since: number
  isNewest(): boolean
}

/** Seals a text and opens it on the other side; undefined if there is nothing to seal. */
async function pass(room: Demonstration, text: string): Promise<Passed | undefined> {
  if (text === '') return undefined
  const startedAt = performance.now()
  const envelope = await room.seal(text)
  const sealedAt = performance.now()
  const opened = await room.open(envelope)
  return { envelope, opened, sealMs: sealedAt - startedAt, openMs: performance.now() - sealedAt }
}

async function show({ envelope, opened, sealMs, openMs }: Passed, { since, isNewest }: Turn): Promise<void> {
  const { body }: { body: string } = JSON.parse(envelope)
  const carried = partOf('carried')
  const read = partOf('read')
  const groups = Array.from(carried.children, (_, at) => body.slice(FROM + at * GROUP, FROM + (at + 1) * GROUP))
  lay(carried, 'span', groups)
  const isLate = performance.now() - since + CARRIED_MS + READ_MS > WHOLE_MS
  if (isLate) read.textContent = opened
  else lay(read, 'i', [...opened])
  carried.classList.remove('is-coming')
  partOf('carried-foot').textContent =
    `All of it that the server, and anyone between, can see: ${envelope.length.toLocaleString('en')} bytes, padded so that the length of your text does not show.`
  partOf('passage-said').textContent =
    `Sealed in ${inMs(sealMs)} and opened in ${inMs(openMs)}, in this page, by the code that seals every message.`
  if (isLate) return
  await still(CARRIED_MS)
  if (!isNewest()) return
  read.classList.remove('is-coming')
  await still(READ_MS)
  // As one text again, for whoever reads by ear or copies it.
  if (isNewest()) read.textContent = opened
}

/** Lays the parts out, faint. They come one after another when the class goes. */
function lay(element: HTMLElement, tag: 'span' | 'i', texts: string[]): void {
  const parts = texts.map((text, at) => {
    const part = document.createElement(tag)
    part.textContent = text
    part.style.setProperty('--at', String(at))
    return part
  })
  element.classList.add('is-coming')
  element.replaceChildren(...parts)
  // The faint state is painted before it ends.
  element.getBoundingClientRect()
}

/** Waits, except where nothing moves. */
const still = (ms: number): Promise<void> =>
  matchMedia('(prefers-reduced-motion: reduce)').matches ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))

const inMs = (ms: number): string => `${ms.toLocaleString('en', { maximumFractionDigits: 1 })} ms`
