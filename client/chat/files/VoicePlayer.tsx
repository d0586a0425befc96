import { Headphones, Pause, Play } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { FileContent } from '../../../contract/chat/content.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { lengthWords } from '../../ui/time.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { awaitFile, fetchAlong, joinVoices, playAwaited, playNext, playsAlone, takeFollower } from './playing.ts'
import { Wave } from './Wave.tsx'

const SPEEDS = [1, 1.5, 2]

interface Props {
  voice: NonNullable<FileContent['voice']>
  /** An object URL; undefined before the fetch. */
  url: string | undefined
  /** From 0 to 1. */
  part: number | undefined
  /** The length stands beside it already. */
  isLengthSaid?: boolean
  onWant: () => void
  /** In a chat it is played when the one before has ended. Nobody presses at that moment, so what is not here is not fetched. */
  onFollow?: (() => void) | undefined
  /** It comes along with one above it. */
  onAlong?: () => void
  onBroken: () => void
  isListened?: boolean | undefined
  /** It has begun to play. `isFollower`: by itself after another. */
  onListened?: ((isFollower: boolean) => void) | undefined
}

export function VoicePlayer(props: Props) {
  const { voice, url, part, isLengthSaid = false, isListened, onWant, onFollow, onAlong, onBroken, onListened } = props
  const audio = useRef<HTMLAudioElement>(null)
  const [isPressed, setPressed] = useState(false)
  const [isPlaying, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [speed, setSpeed] = useState(1)
  const peaks = useMemo(() => [...fromBase64(voice.peaks)], [voice.peaks])

  useEffect(() => {
    if (url && audio.current) playAwaited(audio.current)
  }, [url])

  function toggle(want = onWant) {
    const player = audio.current
    if (!player) return
    if (!url) {
      awaitFile(player)
      return want()
    }
    if (!player.paused) return player.pause()
    void player.play().catch(() => undefined)
  }

  const isInChat = onFollow !== undefined
  const isAsked = isPressed && part !== undefined
  useEffect(() => {
    if (isAsked && isInChat && audio.current) fetchAlong(audio.current)
  }, [isAsked, isInChat])
  const latest = useLatest({
    play(next: number) {
      setSpeed(next)
      if (audio.current?.paused !== false) toggle(onFollow)
    },
    fetch: () => onAlong?.(),
  })
  useEffect(() => {
    const player = audio.current
    if (!isInChat || !player) return
    return joinVoices(player, { play: (next) => latest.current.play(next), fetch: () => latest.current.fetch() })
  }, [isInChat, latest])

  function press() {
    if (audio.current) takeFollower(audio.current)
    setPressed(true)
    toggle()
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

  const isBegun = isPlaying || at > 0
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
          onListened?.(takeFollower(currentTarget))
        }}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onEnded={({ currentTarget }) => {
          setAt(0)
          if (isInChat) playNext(currentTarget, speed)
        }}
        onError={() => url && onBroken()}
      />
      <button
        type="button"
        className="att-go"
        aria-label={isPlaying ? 'Pause voice message' : 'Play voice message'}
        onClick={press}
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
      {isListened && (
        <span className="att-listened" role="img" aria-label="Listened to" title="Listened to">
          <Headphones className="i i-14" aria-hidden />
        </span>
      )}
      <span className="att-length">
        {part !== undefined
          ? `${Math.round(part * 100)} %`
          : isBegun || !isLengthSaid
            ? lengthWords(isBegun ? at : voice.seconds)
            : ''}
      </span>
      <button type="button" className="att-speed" aria-label={`Speed ${speed}`} onClick={faster}>
        {speed}×
      </button>
    </div>
  )
}
