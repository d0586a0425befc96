import {
  Ban,
  Check,
  CheckCheck,
  CircleAlert,
  Clock,
  FileText,
  Image,
  KeyRound,
  LockKeyhole,
  type LucideIcon,
  Mic,
  Pencil,
  Phone,
  PhoneMissed,
  ShieldAlert,
} from 'lucide-react'
import { useStore } from 'zustand'
import { draftsStore } from '../../rooms/list/drafts.ts'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import { isAwaited, isBlocked } from '../../rooms/list/room.ts'
import { isShutRow, type Preview, type RoomRow } from '../../rooms/list/roomList.ts'
import { voiceDraftsStore } from '../../rooms/list/voicedrafts.ts'
import { provenOf } from '../../rooms/log/showForks.ts'
import type { Person } from '../../rooms/trust/people.ts'
import type { Stop } from '../../rooms/trust/refusedList.ts'
import { stopOf } from '../../rooms/trust/trustPill.ts'
import { lengthWords } from '../../ui/time.ts'

interface Props {
  room: RoomRow
  /** The other person of a direct room. */
  person: Person | undefined
  /** What stops sending to a member. */
  mismatch: Stop | null
  isOpen: boolean
  isAmbiguous: boolean
}

/** One state in words, the first that applies. */
export function RowLine({ room, person, mismatch, isOpen, isAmbiguous }: Props) {
  const isDeleted = person?.isDeleted === true
  const draft = useStore(draftsStore, ({ drafts }) => drafts.get(room.id))
  const voice = useStore(voiceDraftsStore, ({ voices }) => voices.get(room.id))
  const stop = isDeleted
    ? undefined
    : stopOf({ mismatch }, { isForked: provenOf(room.forks).length > 0, asksRestart: room.asksRestart })
  if (stop)
    return (
      <>
        <ShieldAlert className="i i-16 fail" aria-hidden />
        <span className="cut failed">{stop}, sending is stopped</span>
      </>
    )
  if (isShutRow(room))
    return (
      <>
        <LockKeyhole className="i i-16" aria-hidden />
        <span className="cut t3">{room.lock === 'interrupted' ? 'Setting was interrupted' : 'Locked'}</span>
      </>
    )
  if (isBlocked(room))
    return (
      <>
        <Ban className="i i-16" aria-hidden />
        <span className="cut t3">Blocked</span>
      </>
    )
  if (voice && !isOpen && room.preview?.kind !== 'failed')
    return (
      <>
        <Mic className="i i-16" aria-hidden />
        <span className="cut">
          <b>Voice draft</b> {lengthWords(voice.seconds())}
        </span>
      </>
    )
  if (draft && !isOpen && room.preview?.kind !== 'failed')
    return (
      <>
        <Pencil className="i i-16" aria-hidden />
        <span className="cut" dir="auto">
          <b>Draft:</b> {draft}
        </span>
      </>
    )
  if (room.isTyping) return <span className="cut typing">typing…</span>
  if (isAwaited(room) && room.preview?.kind !== 'failed')
    return (
      <>
        <Clock className="i i-16" aria-hidden />
        <span className="cut">Request sent</span>
      </>
    )
  if (!room.preview)
    return (
      <span className="cut t3">
        {isDeleted ? 'Deleted account' : person ? `@${person.username}` : 'No messages'}
        {person && !isDeleted && !person.identityKey && !person.mismatch && ' · no device yet'}
      </span>
    )
  const { preview } = room
  const isFailed = preview.kind === 'failed'
  const isRed = isFailed || preview.kind === 'missed'
  return (
    <>
      {isFailed ? <CircleAlert className="i i-16 fail" aria-hidden /> : <Ticks status={preview.status} />}
      <KindIcon kind={preview.kind} />
      <span className={isRed ? 'cut failed' : 'cut'} dir="auto">
        {isDeleted && person.alias && <span className="t3">Deleted · </span>}
        {isAmbiguous && person && !isDeleted && <span className="t3">@{person.username} · </span>}
        {isFailed && 'Not sent: '}
        {preview.kind === 'plain' && <span className="failed">{NOT_ENCRYPTED}: </span>}
        {preview.text}
      </span>
    </>
  )
}

const KINDS: Partial<Record<Preview['kind'], LucideIcon>> = {
  ...{ photo: Image, document: FileText, unreadable: KeyRound, call: Phone, missed: PhoneMissed },
}

function KindIcon({ kind }: { kind: Preview['kind'] }) {
  const Icon = KINDS[kind]
  return Icon ? <Icon className={kind === 'missed' ? 'i i-16 fail' : 'i i-16'} aria-hidden /> : null
}

const TICKS = {
  sending: { Icon: Clock, words: 'Not sent yet', className: '' },
  sent: { Icon: Check, words: 'Sent', className: '' },
  delivered: { Icon: CheckCheck, words: 'Delivered', className: '' },
  read: { Icon: CheckCheck, words: 'Read', className: 'read' },
}

function Ticks({ status }: { status: Preview['status'] }) {
  if (!status) return null
  const { Icon, words, className } = TICKS[status]
  return (
    <>
      <Icon className={`i i-16 ${className}`} aria-hidden />
      <span className="sr">{words}</span>
    </>
  )
}
