import { ArrowUp } from 'lucide-react'
import {
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useStore } from 'zustand'
import { textBytes } from '../../contract/content.ts'
import { LIMITS } from '../../contract/limits.ts'
import { connectionStore } from '../net/status.ts'
import type { Room } from '../rooms/room.ts'
import { useEnv } from '../ui/env.tsx'
import { sendAndReport } from './outcome.ts'
import { keepDraft, sendText } from './send.ts'
import { useDraft } from './useDraft.tsx'
import { useTyping } from './useTyping.tsx'

interface Props {
  room: Room
  /** True while a changed key blocks sending. The reason is shown above. */
  isBlocked: boolean
  onUpgrade: () => void
}

export function Composer({ room, isBlocked, onUpgrade }: Props) {
  const env = useEnv()
  const field = useRef<HTMLTextAreaElement>(null)
  const isConnected = useStore(connectionStore, (state) => state.phase === 'open')
  const [text, setText] = useDraft(room.id)
  const [isPending, setPending] = useState(false)
  const typing = useTyping(room)
  const isOff = !isConnected || isBlocked
  const sizeBytes = textBytes(text)
  const isTooLong = sizeBytes > LIMITS.textBytes
  const canSend = !isOff && !isPending && !isTooLong && text.trim() !== ''
  useHeight(field, isPending ? '' : text)
  useFocus(field, isOff)

  async function send() {
    if (!canSend) return
    typing.stop()
    setPending(true)
    let isShown = false
    const onKept = () => {
      isShown = true
      setText('')
      setPending(false)
    }
    const outcome = await sendAndReport(() => sendText(env, room, text, onKept), onUpgrade)
    if (!isShown) setPending(false)
    else if (outcome === 'subscription_required' || outcome === 'limit_reached') giveBack(text)
  }

  /** The server took the text for no message: it comes back, before whatever was typed meanwhile. */
  function giveBack(refused: string) {
    const typed = field.current?.value
    if (typed === undefined) void keepDraft(env, room.id, refused).catch(() => undefined)
    else setText(typed === '' ? refused : `${refused}\n${typed}`)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    void send()
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>) {
    // During composition Enter accepts the input method's word. Safari sends that key with code 229 after composition has ended.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }

  return (
    <form className="compose" onSubmit={submit}>
      <div className={isTooLong ? 'input bad' : 'input'}>
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          // Without this attribute the browser stores the typed text in its session file.
          autoComplete="off"
          aria-label="Message"
          placeholder={placeholder(isConnected, isBlocked)}
          // The list already shows the message. The hidden text stays here until the message is stored.
          value={isPending ? '' : text}
          disabled={isOff}
          readOnly={isPending}
          aria-invalid={isTooLong || undefined}
          aria-describedby={isTooLong || isOff ? 'compose-note' : undefined}
          onChange={(event) => {
            setText(event.target.value)
            typing.change(event.target.value !== '')
          }}
          onBlur={typing.stop}
          onKeyDown={press}
        />
      </div>
      <button type="submit" className="send" aria-label="Send" disabled={!canSend}>
        <ArrowUp className="i" aria-hidden />
      </button>
      <ComposeNote tooLongBytes={isTooLong ? sizeBytes : null} words={isOff && text ? placeholder(isConnected, isBlocked) : ''} />
    </form>
  )
}

function ComposeNote({ tooLongBytes, words }: { tooLongBytes: number | null; words: string }) {
  const kib = (bytes: number) => (bytes / 1024).toFixed(1)
  return (
    <p id="compose-note" className={tooLongBytes ? 'help bad' : 'help'} role={tooLongBytes ? 'alert' : 'status'}>
      {tooLongBytes
        ? `Too long: a message holds at most ${LIMITS.textBytes / 1024} KB of text, this one has ${kib(tooLongBytes)} KB.`
        : words}
    </p>
  )
}

function placeholder(isConnected: boolean, isBlocked: boolean): string {
  if (isBlocked) return 'Sending is blocked'
  if (isConnected) return 'Type a message...'
  return location.hostname.endsWith('.onion') ? 'Connecting to Tor network...' : 'Connecting...'
}

type FieldRef = RefObject<HTMLTextAreaElement | null>

/** Fits the field's height to its text, up to the stylesheet's maximum. */
function useHeight(field: FieldRef, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what changes the height
  useLayoutEffect(() => {
    if (!field.current) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, text])
}

/** Focuses the field when it appears, unless that opens an on-screen keyboard, and again after a reconnection. */
function useFocus(field: FieldRef, isOff: boolean) {
  const hadFocus = useRef(matchMedia('(pointer: fine) and (min-width: 768px)').matches)
  const remember = useCallback(() => {
    hadFocus.current = document.activeElement === field.current || document.activeElement === document.body
  }, [field])
  useEffect(() => {
    if (isOff) return
    if (hadFocus.current) field.current?.focus({ preventScroll: true })
    return () => remember()
  }, [field, isOff, remember])
}
