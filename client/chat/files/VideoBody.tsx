import { Download, Play } from 'lucide-react'
import { type KeyboardEvent, type SyntheticEvent, useMemo } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { lengthWords } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { nameOf, sizeWords } from './fileWords.ts'
import { frameOf } from './frameOf.ts'
import type { Held } from './openedFiles.ts'
import { saveHeld } from './openFile.ts'
import { playsAlone } from './playing.ts'
import { thumbnailUrl } from './thumbnail.ts'
import { notThere } from './useOpened.tsx'
import './video.css'

interface Props {
  held: Held
  /** An object URL; undefined before the fetch. */
  url?: string | undefined
  /** From 0 to 1, while it is fetched. */
  part?: number | undefined
  /** On its way to the server. */
  isOut?: boolean
  isSavable?: boolean
  focus?: (player: HTMLMediaElement | null) => void
  onPlay?: () => void
  onBroken?: () => void
}

const UNKNOWN = { width: 340, height: 200 }

/** The sender's frame, and in its place the player. */
export function VideoBody({ held, url, part, isOut = false, isSavable = true, focus, onPlay, onBroken }: Props) {
  const env = useEnv()
  const { picture, seconds, sizeBytes } = held.file
  const name = nameOf(held.file.name) || 'Video'
  const frame = useMemo(() => frameOf(picture ?? UNKNOWN), [picture])
  const poster = useMemo(() => thumbnailUrl(picture), [picture])
  const size = part === undefined ? sizeWords(sizeBytes) : `${Math.round(part * 100)} %`
  async function save() {
    await saveHeld(env, held).catch((error: unknown) =>
      showToast({ tone: 'bad', title: notThere(held), text: failureWords(error) }),
    )
  }
  return (
    <div className="att-video" style={frame}>
      {url ? (
        // biome-ignore lint/a11y/useMediaCaption: nobody but the sender could write captions
        <video
          ref={focus}
          src={url}
          poster={poster}
          controls
          autoPlay
          aria-label={name}
          playsInline
          onKeyDown={mute}
          onPlay={(event: SyntheticEvent<HTMLMediaElement>) => playsAlone(event.currentTarget)}
          onError={onBroken}
        />
      ) : (
        <>
          {poster && <img src={poster} alt="" />}
          <span className="att-tag">{seconds === undefined ? size : `${lengthWords(seconds)} · ${size}`}</span>
          {!isOut && (
            <button type="button" className="att-play-video" aria-label={`Play ${name}`} onClick={onPlay}>
              <span>
                <Play className="i" aria-hidden />
              </span>
            </button>
          )}
        </>
      )}
      {!isOut && isSavable && (
        <IconButton icon={Download} label={`Save ${name}`} isTight className="att-save" onClick={() => void save()} />
      )}
    </div>
  )
}

function mute(event: KeyboardEvent<HTMLVideoElement>) {
  if (event.key !== 'm' || event.ctrlKey || event.metaKey || event.altKey) return
  event.currentTarget.muted = !event.currentTarget.muted
  event.stopPropagation()
}
