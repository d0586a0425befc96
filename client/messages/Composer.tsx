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
import { keepDraft } from '../rooms/drafts.ts'
import type { Room } from '../rooms/room.ts'
import { useEnv } from '../ui/env.tsx'
import { sendAndReport } from './outcome.ts'
import { sendText } from './send.ts'
import { useDraft } from './useDraft.tsx'
import { useTyping } from './useTyping.tsx'

interface Props {
  room: Room
  /** True if the plan allows sending. Without it nothing leaves the field: the plans are shown, and the server is not asked. */
  hasPlan: boolean
  /** True while a changed key blocks sending. The reason is shown above. */
  isBlocked: boolean
  onUpgrade: () => void
}

export function Composer({ room, hasPlan, isBlocked, onUpgrade }: Props) {
  const env = useEnv()
  const field = useRef<HTMLTextAreaElement>(null)
  const isConnected = useStore(connectionStore, (state) => state.phase === 'open')
  const { text, change: setText, empty, settle } = useDraft(room.id)
  const typing = useTyping(room)
  const [hasFocus, setFocus] = useState(false)
  const isOff = !isConnected || isBlocked
  // The field never closes under somebody's hands: what is typed without a connection stays, and is sent when it is back.
  const isShut = isBlocked || (!isConnected && !hasFocus && text === '')
  const sizeBytes = textBytes(text)
  const isTooLong = sizeBytes > LIMITS.textBytes
  const canSend = !isOff && !isTooLong && text.trim() !== ''
  useHeight(field, text)
  useFocus(field, isShut)

  async function send() {
    if (!canSend) return
    if (!hasPlan) return onUpgrade()
    typing.stop()
    empty()
    let isKept = false
    const onKept = () => {
      isKept = true
      settle()
    }
    const outcome = await sendAndReport(() => sendText(env, room, text, onKept), onUpgrade)
    if (!isKept || outcome === 'subscription_required' || outcome === 'limit_reached') giveBack(text)
  }

  /** The text has become no message: it comes back, before whatever was typed meanwhile. */
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
          value={text}
          disabled={isShut}
          aria-invalid={isTooLong || undefined}
          aria-describedby={isTooLong || isOff ? 'compose-note' : undefined}
          onChange={(event) => {
            setText(event.target.value)
            typing.change(event.target.value !== '')
          }}
          onFocus={() => setFocus(true)}
          onBlur={() => {
            setFocus(false)
            typing.stop()
          }}
          onKeyDown={press}
        />
      </div>
      <button type="submit" className="send" aria-label="Send" disabled={!canSend}>
        <ArrowUp className="i" aria-hidden />
      </button>
      <ComposeNote
        tooLongBytes={isTooLong ? sizeBytes : null}
        words={isOff && text ? `${placeholder(isConnected, isBlocked)} What you type stays here.` : ''}
      />
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
  if (!navigator.onLine) return 'You are offline.'
  return location.hostname.endsWith('.onion') ? 'Connecting to Tor network...' : 'Connecting...'
}

type FieldRef = RefObject<HTMLTextAreaElement | null>

// Measuring the field costs a layout of the page at each key and at each tap on Send.
const FITS_BY_ITSELF = CSS.supports('field-sizing', 'content')

/** Fits the field's height to its text, up to the stylesheet's maximum, where the browser does not. */
function useHeight(field: FieldRef, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what changes the height
  useLayoutEffect(() => {
    if (!field.current || FITS_BY_ITSELF) return
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
