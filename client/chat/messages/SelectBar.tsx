import { Copy, Forward, Star, StarOff, Trash2, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { isMarkable, isStarred, marksStore } from '../../rooms/list/marks.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { later } from '../../ui/later.tsx'
import { moment } from '../../ui/time.ts'
import { copyText } from '../../ui/useCopy.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { DeleteMessage } from './DeleteMessage.tsx'
import { canDeleteForMe } from './deleteForMe.ts'
import { canForward } from './forward.ts'
import { wordsOf } from './quotes.ts'
import { endSelecting, selectedIn } from './select.ts'
import { selectionStore } from './selection.ts'
import { canDelete } from './sendEdits.ts'
import './selection.css'
import { toggleStars } from './setStars.ts'
import { messagesStore, type ShownMessage, viewOf } from './store.ts'

const ForwardDialog = later(async () => (await import('./ForwardDialog.tsx')).ForwardDialog)

interface Props {
  room: RoomRow
  name: string
  onUpgrade: () => void
}

const NONE: ShownMessage[] = []

/** What can be done with the selected messages, in the composer's place. */
export function SelectBar({ room, name, onUpgrade }: Props) {
  const env = useEnv()
  const selection = useStore(selectionStore, (state) => state.selection)
  const shown = useStore(messagesStore, () => viewOf(room)?.messages ?? NONE)
  const [asked, setAsked] = useState<'forward' | 'delete'>()
  // As high as the composer, which it hides: nothing moves.
  const [minHeight] = useState(() => document.querySelector<HTMLElement>('.compose')?.offsetHeight)
  const selected = selection ? selectedIn(selection, shown) : NONE
  const words = copied(selected, name)
  const hasForward = selected.length > 0 && selected.every(canForward)
  const hasDelete =
    selected.length > 0 && [canDelete.bind(null, env), canDeleteForMe.bind(null, room)].some((can) => selected.every(can))
  const hasStar = selected.length > 0 && isMarkable(room)
  const areStarred = useStore(marksStore, ({ marks }) => selected.every((message) => isStarred(marks, room.id, message)))
  useOver(endSelecting, 'selection')

  function copy() {
    void copyText(words)
    endSelecting()
  }
  function star() {
    void toggleStars(env, room.id, selected)
    endSelecting()
  }
  const latest = useLatest((event: KeyboardEvent) => {
    const { target, altKey, shiftKey } = event
    const isElsewhere =
      target instanceof Element && target.closest('input, textarea, [role=dialog], [role=alertdialog], [role=menu]')
    if (isElsewhere || altKey || asked) return
    const isCommand = event.ctrlKey || event.metaKey
    const key = event.key.toLowerCase()
    if (isCommand && key === 'c' && words && getSelection()?.isCollapsed) copy()
    else if (!isCommand && !shiftKey && key === 'f' && hasForward) setAsked('forward')
    else if (!isCommand && !shiftKey && key === 's' && hasStar) star()
    else if (!isCommand && key === 'delete' && hasDelete) setAsked('delete')
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => latest.current(event)
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [latest])

  const end = () => setAsked(undefined)
  return (
    <>
      <div className="selected-bar" role="toolbar" aria-label="Selected messages" style={{ minHeight }}>
        <IconButton icon={X} label="End the selection" onClick={endSelecting} />
        <b role="status">{selected.length} selected</b>
        {words !== '' && (
          <button type="button" className="btn quiet" onClick={copy}>
            <Copy className="i i-16" aria-hidden />
            <span>Copy</span>
          </button>
        )}
        {hasForward && (
          <button type="button" className="btn quiet" onClick={() => setAsked('forward')}>
            <Forward className="i i-16" aria-hidden />
            <span>Forward</span>
          </button>
        )}
        {hasStar && (
          <button type="button" className="btn quiet" onClick={star}>
            {areStarred ? <StarOff className="i i-16" aria-hidden /> : <Star className="i i-16" aria-hidden />}
            <span>{areStarred ? 'Unstar' : 'Star'}</span>
          </button>
        )}
        {hasDelete && (
          <button type="button" className="btn quiet danger-words" onClick={() => setAsked('delete')}>
            <Trash2 className="i i-16" aria-hidden />
            <span>Delete</span>
          </button>
        )}
      </div>
      {asked === 'forward' && (
        <ForwardDialog messages={selected} onUpgrade={onUpgrade} onForwarded={endSelecting} onClose={end} />
      )}
      {asked === 'delete' && (
        <DeleteMessage room={room} messages={selected} onUpgrade={onUpgrade} onDeleted={endSelecting} onClose={end} />
      )}
    </>
  )
}

/** Several say who and when. */
function copied(selected: ShownMessage[], name: string): string {
  const said = selected.filter((message) => wordsOf(message) !== '')
  const [only] = said
  if (only && selected.length === 1) return wordsOf(only)
  return said.map((one) => `${one.isMine ? 'You' : name}, ${moment(new Date(one.at))}: ${wordsOf(one)}`).join('\n')
}
