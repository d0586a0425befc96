import { Check, Pencil, X } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { textBytes } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { FIELD, hasKeyboard, writeOn } from '../../ui/writeOn.ts'
import type { BegunEdit } from '../../worker/crypto.ts'
import './editform.css'
import { chooseEdit, isAskedFor, leaveEdit } from './edits.ts'
import { sendEdit } from './sendEdits.ts'
import { sendAndReport } from './sendOutcome.ts'
import { messagesStore } from './store.ts'
import { useHeight } from './useField.tsx'

interface Props {
  room: Room
  edit: BegunEdit
  hasPlan: boolean
  onUpgrade: () => void
}

/** The words of a sent message, in the place of what is being written, which waits. */
export function EditForm({ room, edit, hasPlan, onUpgrade }: Props) {
  const env = useEnv()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(edit.text)
  const isSaving = useRef(false)
  const { senderId, id } = edit.target
  const isGone = useStore(messagesStore, ({ open }) =>
    open?.messages.some((message) => message.id === id && message.senderId === senderId && message.body.kind === 'deleted'),
  )
  const mostBytes = edit.isCaption ? SAID.captionBytes : LIMITS.textBytes
  const isTooLong = textBytes(text) > mostBytes
  const isEmpty = !edit.isCaption && text.trim() === ''
  const canSave = !isTooLong && !isEmpty && !isGone
  useHeight(field, text)
  const latest = useLatest({ ...edit, text })

  const leave = () => void leaveEdit(env, room, latest.current)
  useOver(leave, 'reply')

  useEffect(() => {
    const { current } = field
    const now = document.activeElement
    const isFree = now === document.body || now?.matches(FIELD)
    if (current && (isAskedFor(id) || (isFree && hasKeyboard()))) {
      current.focus({ preventScroll: true })
      current.setSelectionRange(current.value.length, current.value.length)
    }
    return () => {
      if (document.activeElement === document.body) writeOn()
    }
  }, [id])

  function change(next: string) {
    setText(next)
    void chooseEdit(env, room.id, { ...edit, text: next })
  }

  async function save(event: FormEvent) {
    event.preventDefault()
    if (!canSave) return
    if (text.trim() === edit.before) return leave()
    if (!hasPlan) return onUpgrade()
    if (isSaving.current) return
    isSaving.current = true
    await sendAndReport(() => sendEdit(env, room, { ...edit, text }), onUpgrade)
    isSaving.current = false
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>) {
    // As in the composer.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }

  const note = isGone
    ? 'This message was deleted.'
    : isTooLong
      ? `Too long: at most ${mostBytes / 1024} KB of text.`
      : isEmpty
        ? 'A message needs words. It can be deleted instead.'
        : ''
  return (
    <form className="writing editing" noValidate onSubmit={(event) => void save(event)}>
      <div className={isTooLong ? 'input bad' : 'input'}>
        <div className="edit-line">
          <Pencil className="i i-16" aria-hidden />
          <span>{edit.isCaption ? 'Edit caption' : 'Edit message'}</span>
          <button type="button" className="icon-btn tight" aria-label="Cancel edit" data-tip="" onClick={leave}>
            <X className="i i-16" aria-hidden />
          </button>
        </div>
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          autoComplete="off"
          aria-label={edit.isCaption ? 'Edit caption' : 'Edit message'}
          aria-invalid={!canSave || undefined}
          aria-describedby={note ? 'edit-note' : undefined}
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={press}
        />
      </div>
      <button type="submit" className="send" aria-label="Save" data-tip="" disabled={!canSave}>
        <Check className="i" aria-hidden />
      </button>
      <p id="edit-note" className={isTooLong || isGone ? 'help bad' : 'help'} role="status">
        {note}
      </p>
    </form>
  )
}
