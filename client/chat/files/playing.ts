import { callAskStore } from '../callline/askCall.ts'

let playing: HTMLMediaElement | undefined
/** Begins once its file is here, unless something else has begun before. */
let awaited: HTMLMediaElement | undefined

callAskStore.subscribe(({ isInCall }) => {
  if (isInCall) awaited = undefined
})

/** Pauses the former player. */
export function playsAlone(player: HTMLMediaElement): void {
  if (playing !== player) playing?.pause()
  playing = player
  awaited = undefined
}

export function awaitFile(player: HTMLMediaElement): void {
  awaited = player
}

export function playAwaited(player: HTMLMediaElement): void {
  if (awaited !== player) return
  awaited = undefined
  void player.play().catch(() => undefined)
}

interface Voice {
  play(speed: number): void
  fetch(): void
}

/** How many voice messages below come with one that is pressed. */
const ALONG = 3

/** Voice messages of the open chat. */
const voices = new Map<Element, Voice>()

export function joinVoices(player: Element, voice: Voice): () => void {
  voices.set(player, voice)
  return () => void voices.delete(player)
}

/** The next ones follow by themselves, and asked for at that moment the server would learn that the one before was heard to its end. */
export function fetchAlong(pressed: Element): void {
  for (const [, voice] of below(pressed).slice(0, ALONG)) voice.fetch()
}

/** The voice message below follows by itself, as far as the chat is drawn, unless another one was pressed and is on its way. */
export function playNext(ended: Element, speed: number): void {
  // What could not be fetched is not drawn any more.
  const [next] = below(ended)
  if (!next || awaited?.isConnected || callAskStore.getState().isInCall) return
  const [player, voice] = next
  followers.add(player)
  voice.play(speed)
}

const followers = new WeakSet<Element>()

/** True once for what began by itself. */
export const takeFollower = (player: Element): boolean => followers.delete(player)

function below(player: Element): [Element, Voice][] {
  const isAfter = (a: Element, b: Element) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const found = [...voices].filter(([other]) => isAfter(player, other))
  return found.sort(([a], [b]) => (isAfter(a, b) ? -1 : 1))
}
