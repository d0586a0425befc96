import { useEffect, useState } from 'react'

/** Bars of the meter. */
export const LEVELS = 20
const EVERY_MS = 80
/** Decibels below full scale at which the meter begins, and those at which it is full. */
const QUIET_DB = -60
const LOUD_DB = -12

/** How loud the microphone of a stream is, from 0 to `LEVELS`. */
export function useLevel(stream: MediaStream | null): number {
  const [level, setLevel] = useState(0)
  useEffect(() => {
    if (!stream || stream.getAudioTracks().length === 0) return
    const audio = new AudioContext()
    const analyser = audio.createAnalyser()
    audio.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    const look = () => {
      analyser.getFloatTimeDomainData(samples)
      setLevel(barsOf(samples))
    }
    const timer = setInterval(look, EVERY_MS)
    return () => {
      clearInterval(timer)
      setLevel(0)
      audio.close().catch(() => undefined)
    }
  }, [stream])
  return level
}

function barsOf(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  const decibels = 10 * Math.log10(power || 1e-10)
  const part = (decibels - QUIET_DB) / (LOUD_DB - QUIET_DB)
  return Math.round(Math.min(1, Math.max(0, part)) * LEVELS)
}
