const SECONDS = 0.7
const LOUDNESS = 0.15

type WithSink = AudioContext & { setSinkId?: (id: string) => Promise<void> }

/** Plays a tone on a speaker, so that one hears which it is. */
export async function playTone(speaker: string | null): Promise<void> {
  const audio: WithSink = new AudioContext()
  // A speaker that was unplugged meanwhile: the tone comes from the system's.
  if (speaker) await audio.setSinkId?.(speaker).catch(() => undefined)
  await audio.resume()
  const [tone, volume] = [audio.createOscillator(), audio.createGain()]
  tone.frequency.value = 523.25
  volume.gain.setValueAtTime(0, audio.currentTime)
  volume.gain.linearRampToValueAtTime(LOUDNESS, audio.currentTime + 0.03)
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + SECONDS)
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + SECONDS)
  tone.addEventListener('ended', () => void audio.close())
}
