/** Notes of the sound, in Hz and s from its start. */
const NOTES = [
  { pitch: 659.26, at: 0 },
  { pitch: 880, at: 0.11 },
]
const NOTE_SECONDS = 0.28
const LOUDNESS = 0.09
/** Many messages at once are one sound. */
const PAUSE_MS = 2000

let context: AudioContext | undefined
let playedAt = Number.NEGATIVE_INFINITY

/** Plays two short notes, made here: no file is fetched. Browsers play nothing before somebody has pressed something on the page. */
export async function playSound(): Promise<void> {
  const now = performance.now()
  if (now - playedAt < PAUSE_MS || !('AudioContext' in globalThis) || navigator.userActivation?.hasBeenActive === false) return
  playedAt = now
  context ??= new AudioContext()
  await context.resume()
  for (const { pitch, at } of NOTES) playNote(context, pitch, context.currentTime + at)
}

function playNote(audio: AudioContext, pitch: number, at: number): void {
  const [tone, volume] = [audio.createOscillator(), audio.createGain()]
  tone.frequency.value = pitch
  volume.gain.setValueAtTime(0, at)
  volume.gain.linearRampToValueAtTime(LOUDNESS, at + 0.012)
  volume.gain.exponentialRampToValueAtTime(0.0001, at + NOTE_SECONDS)
  tone.connect(volume).connect(audio.destination)
  tone.start(at)
  tone.stop(at + NOTE_SECONDS)
}
