import { MicOff } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { accountStore } from '../../me/account/accountState.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { callStore } from './callState.ts'
import { hasPicture, Picture } from './Picture.tsx'

interface Props {
  /** True in a corner of the picture, where it can be moved and enlarged. */
  isFloating?: boolean
  /** True where nothing stands in its place without a camera. */
  hasPictureOnly?: boolean
}

/** px that a pointer moves before it drags. */
const DRAG_PX = 6

type Corner = { x: 'left' | 'right'; y: 'top' | 'bottom' }

/** The own picture, as the other end gets it. */
export function OwnTile({ isFloating = false, hasPictureOnly = false }: Props) {
  const user = useStore(accountStore, (state) => state.user)
  const { localStream, isVideoEnabled, isSharing, isAudioEnabled, speaks } = useStore(callStore)
  const place = useCorner()
  const isSeen = (isVideoEnabled || isSharing) && hasPicture(localStream)
  if (!user || (hasPictureOnly && !isSeen)) return null
  const content = (
    <>
      {isSeen ? (
        <Picture
          stream={localStream}
          isMirrored={!isSharing}
          isWhole={isSharing}
          label={isSharing ? 'Your screen' : 'Your picture'}
        />
      ) : (
        <Avatar id={user.id} name={user.displayName} photo={user.profileImageUrl} size={80} />
      )}
      <span className="nm">
        {!isAudioEnabled && <MicOff className="i i-14" aria-hidden />}
        {isSharing ? 'Your screen' : 'You'}
      </span>
    </>
  )
  if (!isFloating) return <div className={`tile ${speaks.own ? 'speaks' : ''}`}>{content}</div>
  return (
    <button
      type="button"
      className={`tile self ${place.corner.x} ${place.corner.y} ${place.isLarge ? 'large' : ''}`}
      {...place.handlers}
    >
      {content}
      <span className="sr">. {place.isLarge ? 'Make it smaller' : 'Enlarge it'}; arrows move it to another corner</span>
    </button>
  )
}

/** The tile is dragged to any corner or moved there by arrows, and doubled by a press. */
function useCorner() {
  const [corner, setCorner] = useState<Corner>({ x: 'right', y: 'bottom' })
  const [isLarge, setLarge] = useState(false)
  const from = useRef<{ x: number; y: number }>(undefined)
  const hasDragged = useRef(false)

  function move(event: PointerEvent<HTMLElement>) {
    if (!from.current) return
    const [x, y] = [event.clientX - from.current.x, event.clientY - from.current.y]
    hasDragged.current ||= Math.hypot(x, y) > DRAG_PX
    if (hasDragged.current) event.currentTarget.style.translate = `${x}px ${y}px`
  }

  function end(event: PointerEvent<HTMLElement>) {
    if (!from.current) return
    from.current = undefined
    event.currentTarget.style.translate = ''
    const stage = event.currentTarget.parentElement?.getBoundingClientRect()
    if (!hasDragged.current || !stage) return
    setCorner({
      x: event.clientX < stage.left + stage.width / 2 ? 'left' : 'right',
      y: event.clientY < stage.top + stage.height / 2 ? 'top' : 'bottom',
    })
  }

  return {
    corner,
    isLarge,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        hasDragged.current = false
        from.current = { x: event.clientX, y: event.clientY }
        event.currentTarget.setPointerCapture(event.pointerId)
      },
      onPointerMove: move,
      onPointerUp: end,
      onPointerCancel: end,
      onClick() {
        // The end of dragging is no press.
        if (!hasDragged.current) setLarge(!isLarge)
        hasDragged.current = false
      },
      onKeyDown(event: KeyboardEvent) {
        const moved: Partial<Record<string, Partial<Corner>>> = {
          ...{ ArrowLeft: { x: 'left' }, ArrowRight: { x: 'right' }, ArrowUp: { y: 'top' }, ArrowDown: { y: 'bottom' } },
        }
        const next = moved[event.key]
        if (!next) return
        event.preventDefault()
        setCorner({ ...corner, ...next })
      },
    },
  }
}
