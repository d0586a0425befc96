import { Play } from 'lucide-react'
import { type SyntheticEvent, useRef, useState } from 'react'
import { Blurred } from './Blurred.tsx'
import { type Look, nameOf, sizeWords } from './fileWords.ts'
import type { Held } from './openedFiles.ts'
import { playsAlone } from './playing.ts'
import { NotThere, useOpened } from './useOpened.tsx'
import { VoicePlayer } from './VoicePlayer.tsx'
import './files.css'

/** Fetches the file at the first request. `isAsked`: that was made. */
export function Player({ held, look, isAsked = false }: { held: Held; look: Look; isAsked?: boolean }) {
  const [isWanted, setWanted] = useState(isAsked)
  const [isBroken, setBroken] = useState(false)
  const isPressed = useRef(isAsked)
  const { url, failure, part } = useOpened(held, isWanted && !isBroken)
  const { name, sizeBytes, picture, voice } = held.file
  const shownName = nameOf(name) || (look === 'video' ? 'Video' : 'Sound')
  const words = isBroken ? 'This browser cannot play it. It can be saved from the shared files.' : failure
  const play = ({ currentTarget }: SyntheticEvent<HTMLMediaElement>) => playsAlone(currentTarget)
  // The pressed button goes when the file is there. A focus elsewhere stays.
  function focus(player: HTMLMediaElement | null) {
    if (isPressed.current && document.activeElement === document.body) player?.focus({ preventScroll: true })
    isPressed.current = false
  }
  function press() {
    isPressed.current = true
    setWanted(true)
  }
  function retry() {
    setBroken(false)
    setWanted(false)
    setTimeout(() => setWanted(true))
  }
  if (words) return <NotThere held={held} failure={words} onRetry={retry} />
  if (voice) return <VoicePlayer {...{ voice, url, part }} onWant={() => setWanted(true)} onBroken={() => setBroken(true)} />
  if (url && look === 'video')
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody but the sender could write captions
      <video
        ref={focus}
        className="att-video"
        src={url}
        controls
        autoPlay
        aria-label={shownName}
        playsInline
        style={picture && { aspectRatio: `${picture.width} / ${picture.height}` }}
        onPlay={play}
        onError={() => setBroken(true)}
      />
    )
  if (url)
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody but the sender could write captions
      <audio
        ref={focus}
        className="att-audio"
        src={url}
        controls
        autoPlay
        aria-label={shownName}
        onPlay={play}
        onError={() => setBroken(true)}
      />
    )
  const busy = isWanted && part !== undefined
  return (
    <button type="button" className={`att-play ${look}`} aria-label={`Play ${shownName}`} onClick={press}>
      {look === 'video' && <Blurred picture={picture} />}
      <span className="att-go">
        <Play className="i" aria-hidden />
      </span>
      <span className="att-words">
        <b>
          <bdi>{shownName}</bdi>
        </b>
        <small>
          {sizeWords(sizeBytes)}
          {busy && ` · ${Math.round(part * 100)} %`}
        </small>
      </span>
    </button>
  )
}
