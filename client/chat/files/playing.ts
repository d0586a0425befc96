/** The sound or video that plays: another one stops it. */
let playing: HTMLMediaElement | undefined

/** Called when a player begins: the one before it is paused. */
export function playsAlone(player: HTMLMediaElement): void {
  if (playing !== player) playing?.pause()
  playing = player
}
