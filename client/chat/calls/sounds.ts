/** Hz and s. */
interface Tune {
  notes: readonly { pitch: number; at: number; seconds: number }[]
  everyMs: number
  loudness: number
}

const RINGTONE: Tune = {
  notes: [
    { pitch: 783.99, at: 0, seconds: 0.35 },
    { pitch: 659.26, at: 0.22, seconds: 0.35 },
    { pitch: 783.99, at: 0.7, seconds: 0.35 },
    { pitch: 523.25, at: 0.92, seconds: 0.6 },
  ],
  everyMs: 2800,
  loudness: 0.16,
}
const RINGBACK: Tune = { notes: [{ pitch: 415.3, at: 0, seconds: 1 }], everyMs: 4000, loudness: 0.05 }

export const playRingtone = (): (() => void) => play(RINGTONE)
export const playRingback = (): (() => void) => play(RINGBACK)

/** Browsers play nothing before somebody has pressed something on the page. Returns how to stop. */
function play({ notes, everyMs, loudness }: Tune): () => void {
  if (!('AudioContext' in globalThis) || navigator.userActivation?.hasBeenActive === false) return () => undefined
  const audio = new AudioContext()
  const once = () => {
    for (const { pitch, at, seconds } of notes) {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()]
      const begin = audio.currentTime + at
      tone.frequency.value = pitch
      volume.gain.setValueAtTime(0, begin)
      volume.gain.linearRampToValueAtTime(loudness, begin + 0.02)
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + seconds)
      tone.connect(volume).connect(audio.destination)
      tone.start(begin)
      tone.stop(begin + seconds)
    }
  }
  void audio.resume().catch(() => undefined)
  once()
  const timer = setInterval(once, everyMs)
  return () => {
    clearInterval(timer)
    // Stopped twice, Firefox rejects.
    audio.close().catch(() => undefined)
  }
}
