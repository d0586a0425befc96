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

type Play = (speed: number) => void

/** Voice messages of the open chat. */
const voices = new Map<Element, Play>()

export function joinVoices(player: Element, play: Play): () => void {
  voices.set(player, play)
  return () => void voices.delete(player)
}

/** The voice message below follows by itself, as far as the chat is drawn. */
export function playNext(ended: Element, speed: number): void {
  if (callAskStore.getState().isInCall) return
  const isAfter = (a: Element, b: Element) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const below = [...voices].filter(([player]) => isAfter(ended, player))
  const next = below.find(([player]) => below.every(([other]) => other === player || isAfter(player, other)))
  next?.[1](speed)
}
