import { CircleAlert, ImageIcon, Play, Video } from 'lucide-react'
import { useRef, useState } from 'react'
import { dayWords } from '../../ui/dayWords.ts'
import { useNow } from '../../ui/env.tsx'
import { lengthWords } from '../../ui/time.ts'
import { lookOf, nameOf } from '../files/fileWords.ts'
import { thumbnailUrl } from '../files/thumbnail.ts'
import { useOpened } from '../files/useOpened.tsx'
import type { Shown } from './Direct.tsx'
import { wordsOf } from './shared.ts'
import { useNear } from './useNear.tsx'

interface Props extends Shown {
  isTabStop: boolean
  onFocus: () => void
  onView: () => void
  onJump: () => void
}

/** A picture opens over the page, a video plays in the chat. */
export function MediaCell({ line, isAway, isTabStop, onFocus, onView, onJump }: Props) {
  const now = useNow(60_000)
  const cell = useRef<HTMLButtonElement>(null)
  const { file, at } = line
  const isVideo = lookOf(file) === 'video'
  const isNear = useNear(cell)
  const { url, failure } = useOpened(line, isNear && !isVideo && !isAway)
  const shown = isVideo || !isNear ? undefined : url
  const name = nameOf(file.name) || wordsOf(file)
  const act = isAway ? 'Show' : isVideo ? 'Play' : 'Open'
  return (
    <button
      type="button"
      ref={cell}
      className="shared-cell"
      aria-label={`${act} ${name}, ${dayWords(new Date(at), now)}${isAway || isVideo ? ', in the chat' : ''}`}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={isAway || isVideo ? onJump : onView}
    >
      <Face url={shown ?? thumbnailUrl(file.picture)} isBlurred={!shown && !isVideo} isFailed={!!failure} isVideo={isVideo} />
      {isVideo && (
        <span className="shared-tag">
          <Play className="i i-14" aria-hidden />
          {file.seconds !== undefined && lengthWords(file.seconds)}
        </span>
      )}
    </button>
  )
}

function Face({
  url,
  isBlurred,
  isFailed,
  isVideo,
}: {
  url: string | undefined
  isBlurred: boolean
  isFailed: boolean
  isVideo: boolean
}) {
  const [broken, setBroken] = useState<string>()
  const isBroken = isFailed || (url !== undefined && url === broken)
  if (url && !isBroken)
    return (
      <img
        className={isBlurred ? 'blurred' : undefined}
        src={url}
        alt=""
        decoding="async"
        draggable={false}
        onError={() => setBroken(url)}
      />
    )
  const Icon = isBroken ? CircleAlert : isVideo ? Video : ImageIcon
  return <Icon className="i" aria-hidden />
}
