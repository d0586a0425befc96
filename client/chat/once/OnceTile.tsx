import { Eye, EyeOff } from 'lucide-react'
import type { OnceContent } from '../../../contract/chat/content.ts'
import { onceName } from '../../../contract/chat/kinds/once.ts'
import { LIFETIMES } from '../../../contract/chat/lifetimes.ts'
import { useNow } from '../../ui/env.tsx'
import { clockTime, dayOf, lengthWords, moment } from '../../ui/time.ts'
import './once.css'

interface Props {
  once: OnceContent
  message: { isMine: boolean; at: string; opened?: string }
  /** It is not sent yet. */
  isOut: boolean
  onOpen: (() => void) | undefined
}

/** A picture or voice message that opens once: no thumbnail, and a press opens it. */
export function OnceTile({ once, message, isOut, onOpen }: Props) {
  const now = useNow(60_000)
  const { isMine, opened } = message
  const name = once.seconds === undefined ? onceName(once) : `${onceName(once)}, ${lengthWords(once.seconds)}`
  const isOver = opened !== undefined || (!isMine && !onOpen)
  const Icon = isOver ? EyeOff : Eye
  const tile = (
    <>
      <Icon className="i" aria-hidden />
      <span className="once-words">
        <b>{name}</b>
        <small>{isOut ? 'View once' : stateOf(message, onOpen !== undefined, now)}</small>
      </span>
    </>
  )
  if (!onOpen) return <span className={isOver ? 'once-tile over' : 'once-tile'}>{tile}</span>
  return (
    <button type="button" className="once-tile" onClick={onOpen}>
      <span className="sr">Open</span>
      {tile}
    </button>
  )
}

function stateOf({ isMine, at, opened }: Props['message'], isUnopened: boolean, now: Date): string {
  if (opened !== undefined) {
    const time = new Date(opened)
    return `Opened ${dayOf(time) === dayOf(new Date(at)) ? clockTime(time) : moment(time)}`
  }
  if (!isMine) return isUnopened ? 'View once' : 'No longer there'
  const isOver = now.getTime() - Date.parse(at) > LIFETIMES.unread * 1000
  return isOver ? 'Was not opened within 30 days' : 'View once · not opened yet'
}
