let playing: HTMLMediaElement | undefined

/** Pauses the former player. */
export function playsAlone(player: HTMLMediaElement): void {
  if (playing !== player) playing?.pause()
  playing = player
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
  const isAfter = (a: Element, b: Element) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const below = [...voices].filter(([player]) => isAfter(ended, player))
  const next = below.find(([player]) => below.every(([other]) => other === player || isAfter(player, other)))
  next?.[1](speed)
}
