import { SAID } from '../../../contract/chat/saidlimits.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Prepared } from './prepareFile.ts'

/** Opus first: each browser that records it names another file for it. */
const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4;codecs=opus', 'audio/mp4']
const BITS_PER_SECOND = 32_000
const LEVEL_EVERY_MS = 100

/** A voice that is being recorded. */
export interface Recording {
  pause(): Promise<Blob>
  resume(): void
  /** Ends it, and gives the microphone back. */
  end(): Promise<Blob>
  /** Gives the microphone back, and forgets what was said. */
  drop(): void
  seconds(): number
  /** How loud it was every tenth of a second, from 0 to 255. */
  levels(): number[]
}

/** Starts to record. `onLevel` is called ten times a second. Throws DOMException where there is no microphone, or it may not be used. */
export async function record(onLevel: () => void): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } })
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
  const recorder = new MediaRecorder(stream, { ...(mimeType && { mimeType }), audioBitsPerSecond: BITS_PER_SECOND })
  const sound = new AudioContext()
  const meter = sound.createAnalyser()
  sound.createMediaStreamSource(stream).connect(meter)
  const samples = new Uint8Array(meter.fftSize)
  const levels: number[] = []
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => void parts.push(data)
  const listen = setInterval(() => {
    if (recorder.state !== 'recording') return
    meter.getByteTimeDomainData(samples)
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0)
    levels.push(Math.min(255, loudest * 3))
    onLevel()
  }, LEVEL_EVERY_MS)
  const give = () => {
    clearInterval(listen)
    for (const track of stream.getTracks()) track.stop()
    void sound.close()
  }
  const whole = () => new Blob(parts, { type: (recorder.mimeType || 'audio/webm').split(';')[0] ?? '' })
  /** Waits for what was said up to now. */
  const next = (ask: () => void) =>
    new Promise<Blob>((resolve) => {
      recorder.addEventListener('dataavailable', () => resolve(whole()), { once: true })
      ask()
    })
  recorder.start()
  return {
    pause() {
      recorder.pause()
      return next(() => recorder.requestData())
    },
    resume: () => recorder.resume(),
    async end() {
      const bytes = recorder.state === 'inactive' ? whole() : await next(() => recorder.stop())
      give()
      return bytes
    },
    drop() {
      if (recorder.state !== 'inactive') recorder.stop()
      give()
    },
    seconds: () => (levels.length * LEVEL_EVERY_MS) / 1000,
    levels: () => levels,
  }
}

/** The loudness of a recording in at most `SAID.voicePeaks` equal parts of it. */
export function peaksOf(levels: readonly number[]): number[] {
  const count = Math.min(SAID.voicePeaks, levels.length)
  return Array.from({ length: count }, (_, at) => {
    const part = levels.slice(Math.floor((at * levels.length) / count), Math.floor(((at + 1) * levels.length) / count))
    return Math.max(0, ...part)
  })
}

/** A recording as it goes out. */
export function voiceMessage(sound: Blob, levels: readonly number[], seconds: number): Prepared {
  const ending = sound.type === 'audio/mp4' ? 'm4a' : sound.type.slice('audio/'.length)
  return {
    file: sound,
    about: {
      as: 'audio',
      name: `voice-message.${ending}`,
      mediaType: sound.type,
      caption: '',
      voice: { seconds: Math.min(SAID.voiceSeconds, seconds), peaks: toBase64(Uint8Array.from(peaksOf(levels))) },
    },
  }
}
