import { SAID } from '../../../contract/chat/saidlimits.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Recording } from '../../rooms/list/voicedrafts.ts'
import type { Prepared } from './prepareFile.ts'

/** Opus first, in each browser's container. */
const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4;codecs=opus', 'audio/mp4']
const BITS_PER_SECOND = 32_000
const LEVEL_EVERY_MS = 100

/**
 * A paused recording holds no microphone. Each microphone feeds the same stream in turn. Throws in a browser that cannot record.
 */
export function newRecording(): Recording {
  const sound = new AudioContext()
  const out = sound.createMediaStreamDestination()
  out.channelCount = 1
  const meter = sound.createAnalyser()
  meter.connect(out)
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
  const recorder = new MediaRecorder(out.stream, { ...(mimeType && { mimeType }), audioBitsPerSecond: BITS_PER_SECOND })
  const samples = new Uint8Array(meter.fftSize)
  const levels: number[] = []
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => void parts.push(data)
  let source: MediaStreamAudioSourceNode | undefined
  let listening: ReturnType<typeof setInterval> | undefined
  /** Each change makes a new object: a microphone that comes late is dropped. */
  let turn = {}
  let said: Promise<Blob> | undefined

  function giveBack() {
    turn = {}
    clearInterval(listening)
    source?.disconnect()
    for (const track of source?.mediaStream.getTracks() ?? []) track.stop()
    source = undefined
  }
  function listen(onLevel: () => void) {
    meter.getByteTimeDomainData(samples)
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0)
    levels.push(Math.min(255, loudest * 3))
    onLevel()
  }
  function close() {
    giveBack()
    if (sound.state !== 'closed') void sound.close()
  }
  const whole = () => new Blob(parts, { type: (recorder.mimeType || 'audio/webm').split(';')[0] ?? '' })
  const next = (ask: () => void) =>
    new Promise<Blob>((resolve) => {
      recorder.addEventListener('dataavailable', () => resolve(whole()), { once: true })
      ask()
    })
  return {
    async resume(onLevel) {
      giveBack()
      const mine = turn
      const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } })
      if (turn !== mine) {
        for (const track of stream.getTracks()) track.stop()
        return
      }
      source = sound.createMediaStreamSource(stream)
      source.connect(meter)
      void sound.resume()
      if (recorder.state === 'inactive') recorder.start()
      else recorder.resume()
      listening = setInterval(listen, LEVEL_EVERY_MS, onLevel)
    },
    pause() {
      if (recorder.state === 'recording') {
        recorder.pause()
        said = next(() => recorder.requestData())
      }
      giveBack()
      return said ?? Promise.resolve(whole())
    },
    async end() {
      if (recorder.state === 'paused') await said
      const bytes = recorder.state === 'inactive' ? whole() : await next(() => recorder.stop())
      close()
      return bytes
    },
    drop() {
      if (recorder.state !== 'inactive') recorder.stop()
      close()
    },
    seconds: () => (levels.length * LEVEL_EVERY_MS) / 1000,
    levels: () => levels,
  }
}

/** Returns at most `SAID.voicePeaks` values for equal parts. */
export function peaksOf(levels: readonly number[]): number[] {
  const count = Math.min(SAID.voicePeaks, levels.length)
  return Array.from({ length: count }, (_, at) => {
    const part = levels.slice(Math.floor((at * levels.length) / count), Math.floor(((at + 1) * levels.length) / count))
    return Math.max(0, ...part)
  })
}

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
