import { Pause, Play } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { FileContent } from '../../../contract/chat/content.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { lengthWords } from '../../ui/time.ts'
import { playsAlone } from './playing.ts'

const SPEEDS = [1, 1.5, 2]

interface Props {
  voice: NonNullable<FileContent['voice']>
  /** An object URL; undefined before the fetch. */
  url: string | undefined
  /** From 0 to 1. */
  part: number | undefined
  onWant: () => void
  onBroken: () => void
}

export function VoicePlayer({ voice, url, part, onWant, onBroken }: Props) {
  const audio = useRef<HTMLAudioElement>(null)
  const isAsked = useRef(false)
  const [isPlaying, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [speed, setSpeed] = useState(1)
  const peaks = useMemo(() => [...fromBase64(voice.peaks)], [voice.peaks])

  useEffect(() => {
    if (!url || !isAsked.current) return
    isAsked.current = false
    void audio.current?.play().catch(() => undefined)
  }, [url])

  function toggle() {
    const player = audio.current
    if (!url || !player) {
      isAsked.current = true
      return onWant()
    }
    if (!player.paused) return player.pause()
    void player.play().catch(() => undefined)
  }

  function faster() {
    const next = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1
    setSpeed(next)
    if (audio.current) audio.current.playbackRate = next
  }

  function goTo(seconds: number) {
    setAt(seconds)
    if (audio.current) audio.current.currentTime = seconds
  }

  return (
    <div className="att-voice">
      {/* biome-ignore lint/a11y/useMediaCaption: it is somebody's voice */}
      <audio
        ref={audio}
        src={url}
        onPlay={({ currentTarget }) => {
          playsAlone(currentTarget)
          // A load resets the chosen speed.
          currentTarget.playbackRate = speed
          setPlaying(true)
        }}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onEnded={() => setAt(0)}
        onError={() => url && onBroken()}
      />
      <button
        type="button"
        className="att-go"
        aria-label={isPlaying ? 'Pause voice message' : 'Play voice message'}
        onClick={toggle}
      >
        {isPlaying ? <Pause className="i" aria-hidden /> : <Play className="i" aria-hidden />}
      </button>
      <span className="att-wave">
        <Wave peaks={peaks} part={voice.seconds > 0 ? at / voice.seconds : 0} />
        <input
          type="range"
          min={0}
          max={voice.seconds}
          step={0.1}
          value={Math.min(at, voice.seconds)}
          disabled={!url}
          aria-label="Place in the voice message"
          aria-valuetext={lengthWords(at)}
          onChange={(event) => goTo(Number(event.target.value))}
        />
      </span>
      <span className="att-length">
        {part === undefined ? lengthWords(isPlaying || at > 0 ? at : voice.seconds) : `${Math.round(part * 100)} %`}
      </span>
      <button type="button" className="att-speed" aria-label={`Speed ${speed}`} onClick={faster}>
        {speed}×
      </button>
    </div>
  )
}

export function Wave({ peaks, part }: { peaks: number[]; part: number }) {
  const width = 3 * Math.max(1, peaks.length)
  return (
    <svg className="wave" viewBox={`0 0 ${width} 32`} preserveAspectRatio="none" aria-hidden="true">
      {peaks.map((peak, index) => {
        const high = Math.max(2, (peak / 255) * 30)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the bars stay in their places
            key={index}
            className={index / peaks.length < part ? 'played' : undefined}
            x={index * 3}
            y={16 - high / 2}
            width={2}
            height={high}
            rx={1}
          />
        )
      })}
    </svg>
  )
}
