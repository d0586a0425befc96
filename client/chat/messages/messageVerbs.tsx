import {
  CircleCheck,
  Copy,
  CornerUpLeft,
  Eye,
  Forward,
  Info,
  Pencil,
  Pin,
  PinOff,
  SmilePlus,
  Star,
  StarOff,
  TextQuote,
  Trash2,
} from 'lucide-react'
import type { Env } from '../../env.ts'
import { isMarkable, isStarred, marksStore } from '../../rooms/list/marks.ts'
import { isAwaited } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import type { MenuItem, QuickItem } from '../../ui/Menu.tsx'
import { copyText } from '../../ui/useCopy.tsx'
import { composer } from './composer.ts'
import { canDeleteForMe } from './deleteForMe.ts'
import { beginEdit, canEdit, editIn, leaveEdit } from './edits.ts'
import { canForward } from './forward.ts'
import { askOnce, canOpen } from './onceAsked.ts'
import { canPin, togglePin } from './pins.ts'
import { quoteIn, quoteOf, wordsOf } from './quotes.ts'
import { canReact, ownReactions, QUICK, react } from './reactions.ts'
import { chooseReply } from './replies.ts'
import { canSelect } from './selection.ts'
import { canDelete } from './sendEdits.ts'
import { sendAndReport } from './sendOutcome.ts'
import { toggleStars } from './setStars.ts'
import { showQuoted } from './showQuoted.ts'
import type { ShownMessage } from './store.ts'

/** What asks before it acts, or shows more. */
export type Asked = 'delete' | 'details' | 'emoji' | 'forward'

interface Given {
  env: Env
  chatRoomId: string
  onUpgrade: () => void
  onAsk: (of: Asked, message: ShownMessage) => void
  onSelect: (message: ShownMessage) => void
}

/** What can be done with the messages of a chat. What is not possible has no item. */
export function messageVerbs({ env, chatRoomId, onUpgrade, onAsk, onSelect }: Given) {
  const isWritten = () => composer.open?.chatRoomId === chatRoomId
  const canReply = (message: ShownMessage) => isWritten() && quoteOf(message) !== undefined
  /** The server takes them once the other has answered. */
  function takesActs(): boolean {
    const room = roomById(chatRoomId)
    return room !== undefined && !isAwaited(room)
  }
  const mayEdit = (message: ShownMessage) => isWritten() && takesActs() && canEdit(env, message)
  const mayReact = (message: ShownMessage) => takesActs() && canReact(message)

  function reply(message: ShownMessage) {
    const quote = quoteOf(message)
    const { open } = composer
    if (!quote || open?.chatRoomId !== chatRoomId) return
    const edit = editIn(chatRoomId)
    if (edit) void leaveEdit(env, { id: chatRoomId }, edit)
    void chooseReply(env, chatRoomId, quote)
    open.field.current?.focus({ preventScroll: true })
  }
  function edit(message: ShownMessage) {
    const room = roomById(chatRoomId)
    if (room) void beginEdit(env, room, message)
  }
  function give(message: ShownMessage, emoji: string) {
    const room = roomById(chatRoomId)
    if (room) void sendAndReport(() => react(env, room, message, emoji), onUpgrade)
  }

  /** Gives the first of the quick ones, or takes it back. Returns false where nothing can be given. */
  function giveFirst(message: ShownMessage): boolean {
    const [first] = QUICK
    if (!first || !isWritten() || !mayReact(message)) return false
    give(message, first.emoji)
    return true
  }

  function canStar(message: ShownMessage): boolean {
    const room = roomById(chatRoomId)
    return room !== undefined && isMarkable(room) && canSelect(message)
  }
  const hasStar = (message: ShownMessage) => isStarred(marksStore.getState().marks, chatRoomId, message)
  const star = (message: ShownMessage) => void toggleStars(env, chatRoomId, [message])

  const mayPin = (message: ShownMessage) => isWritten() && takesActs() && canPin(message)
  function pin(message: ShownMessage) {
    const room = roomById(chatRoomId)
    if (room) void sendAndReport(() => togglePin(env, room, message), onUpgrade)
  }

  function mayDelete(message: ShownMessage): boolean {
    const room = roomById(chatRoomId)
    return canDelete(env, message) || (room !== undefined && canDeleteForMe(room, message))
  }

  /** Acts on the message by a letter. Returns false if it has none. */
  function actBy(key: string, message: ShownMessage): boolean {
    if ((key === 'r' || key === 'enter') && canReply(message)) reply(message)
    else if (key === 'enter' && canOpen(message)) askOnce(message)
    else if (key === 'e' && mayEdit(message)) edit(message)
    else if (key === 'f' && canForward(message)) onAsk('forward', message)
    else if (key === 'x' && canSelect(message)) onSelect(message)
    else if (key === 's' && canStar(message)) star(message)
    else if (key === 'p' && mayPin(message)) pin(message)
    else if (key === 'i' && message.seq !== null) onAsk('details', message)
    else if (key === 'delete' && mayDelete(message)) onAsk('delete', message)
    else return false
    return true
  }

  function quickOf(message: ShownMessage): QuickItem[] {
    const room = roomById(chatRoomId)
    if (!room || !mayReact(message)) return []
    const mine = ownReactions(message, room.ownId)
    const quick = QUICK.map(({ emoji, name }) => ({
      ...{ text: emoji, label: `React with ${name}`, isOn: mine.includes(emoji) },
      onSelect: () => give(message, emoji),
    }))
    const other = { icon: SmilePlus, label: 'React with another emoji', isOn: false, onSelect: () => onAsk('emoji', message) }
    return [...quick, other]
  }

  function itemsOf(message: ShownMessage): MenuItem[] {
    const words = wordsOf(message)
    const quote = quoteIn(message)
    const room = roomById(chatRoomId)
    const ask = (of: Asked) => () => onAsk(of, message)
    return [
      ...(canOpen(message) ? [{ icon: Eye, label: 'Open', press: 'Enter', onSelect: () => askOnce(message) }] : []),
      ...(canReply(message) ? [{ icon: CornerUpLeft, label: 'Reply', press: 'R', onSelect: () => reply(message) }] : []),
      ...(words ? [{ icon: Copy, label: 'Copy', press: 'Ctrl C', onSelect: () => void copyText(words) }] : []),
      ...(canForward(message) ? [{ icon: Forward, label: 'Forward', press: 'F', onSelect: ask('forward') }] : []),
      ...(canSelect(message) ? [{ icon: CircleCheck, label: 'Select', press: 'X', onSelect: () => onSelect(message) }] : []),
      ...(quote && room
        ? [{ icon: TextQuote, label: 'Show the quoted message', onSelect: () => void showQuoted(env, room, quote) }]
        : []),
      ...(mayEdit(message) ? [{ icon: Pencil, label: 'Edit', press: 'E', onSelect: () => edit(message) }] : []),
      ...(canStar(message)
        ? [
            hasStar(message)
              ? { icon: StarOff, label: 'Take the star away', press: 'S', onSelect: () => star(message) }
              : { icon: Star, label: 'Star', press: 'S', onSelect: () => star(message) },
          ]
        : []),
      ...(mayPin(message)
        ? [
            message.isPinned
              ? { icon: PinOff, label: 'Take off the pin', press: 'P', onSelect: () => pin(message) }
              : { icon: Pin, label: 'Pin', press: 'P', onSelect: () => pin(message) },
          ]
        : []),
      ...(message.seq !== null ? [{ icon: Info, label: 'Details', press: 'I', onSelect: ask('details') }] : []),
      ...(mayDelete(message) ? [{ icon: Trash2, label: 'Delete', press: 'Del', onSelect: ask('delete') }] : []),
    ]
  }

  return { canReply, mayReact, reply, give, giveFirst, actBy, quickOf, itemsOf }
}
