let playing: HTMLMediaElement | undefined

/** Pauses the former player. */
export function playsAlone(player: HTMLMediaElement): void {
  if (playing !== player) playing?.pause()
  playing = player
}
