import { Play } from 'lucide-react'
import { type SyntheticEvent, useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { heldType, type Look, nameOf, sizeWords } from './fileWords.ts'
import { type Held, openedStore } from './openedFiles.ts'
import { showHeld } from './openFile.ts'
import { playsAlone } from './playing.ts'
import { NotThere, useOpened } from './useOpened.tsx'
import { VideoBody } from './VideoBody.tsx'
import { VoicePlayer } from './VoicePlayer.tsx'
import './files.css'

interface Props {
  held: Held
  look: Look
  /** It was pressed already. */
  isAsked?: boolean
  isSavable?: boolean
  isInChat?: boolean
  isLengthSaid?: boolean
  isListened?: boolean
  onListened?: (isFollower: boolean) => void
}

/** Fetches the file at the first request. */
export function Player(props: Props) {
  const { held, look, isAsked = false, isSavable = true, isInChat = false, isLengthSaid = false, isListened, onListened } = props
  const env = useEnv()
  const [isWanted, setWanted] = useState(() => isAsked || openedStore.getState().urls.has(held.file.object))
  const [isBroken, setBroken] = useState(false)
  const isPressed = useRef(isAsked)
  const { url, failure, part } = useOpened(held, isWanted && !isBroken)
  const { name, sizeBytes, voice } = held.file
  const shownName = nameOf(name) || 'Sound'
  const words = isBroken ? 'This browser cannot play it.' : failure
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
  /** Nobody has pressed this one, so nobody is told what fails. */
  const comeAlong = () =>
    void showHeld(env, held).then(
      () => setWanted(true),
      () => undefined,
    )
  async function follow() {
    const { chatRoomId, file } = held
    const kept = env.crypto.openFile({ chatRoomId, content: file, type: heldType(file.mediaType) })
    if (await kept.catch(() => undefined)) setWanted(true)
  }
  function retry() {
    setBroken(false)
    setWanted(false)
    setTimeout(() => setWanted(true))
  }
  if (words) return <NotThere held={held} failure={words} isRefused={isBroken} onRetry={retry} />
  if (voice)
    return (
      <VoicePlayer
        {...{ voice, url, part, isListened, onListened }}
        isLengthSaid={isLengthSaid}
        onWant={() => setWanted(true)}
        onFollow={isInChat ? () => void follow() : undefined}
        onAlong={comeAlong}
        onBroken={() => setBroken(true)}
      />
    )
  if (look === 'video')
    return (
      <VideoBody
        {...{ held, url, isSavable, focus }}
        part={isWanted ? part : undefined}
        onPlay={press}
        onBroken={() => setBroken(true)}
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
