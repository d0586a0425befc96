import { ArrowUp } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { textBytes } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { connectingWords } from '../../net/onion.ts'
import { connectionStore } from '../../net/status.ts'
import { keepDraft, readDraft } from '../../rooms/list/drafts.ts'
import { isNotes, type Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { useOnline } from '../../ui/useOnline.tsx'
import { hasKeyboard, writeOn } from '../../ui/writeOn.ts'
import { preloadBubbles } from './Bubble.tsx'
import { composer } from './composer.ts'
import { editIn, editLast, editStore, openEdit } from './edits.ts'
import { chooseReply, openReply, replyIn, replyStore, showReply } from './replies.ts'
import { sendText } from './send.ts'
import { sendAndReport } from './sendOutcome.ts'
import { useDraft } from './useDraft.tsx'
import { useFocus, useHeight } from './useField.tsx'
import { useGiven } from './useGiven.tsx'
import { useTyping } from './useTyping.tsx'

const Attach = later(async () => {
  const part = await import('./Attach.tsx')
  part.loadDialogs()
  return part.Attach
})

export async function preloadSending(): Promise<void> {
  await Promise.all([Attach.preload(), EditForm.preload(), preloadBubbles()])
}

const EmojiButton = later(async () => (await import('../emoji/EmojiButton.tsx')).EmojiButton)
const MentionCompletion = later(
  // Without it the username is typed.
  async () => (await import('../mentions/MentionCompletion.tsx').catch(() => undefined))?.MentionCompletion ?? (() => null),
)
const EditForm = later(async () => (await import('./EditForm.tsx')).EditForm)
const ReplyLine = later(async () => (await import('./ReplyLine.tsx')).ReplyLine)

interface Props {
  room: Room
  /** Without a plan the composer shows the plans and does not ask the server. */
  hasPlan: boolean
  isBlocked: boolean
  onUpgrade: () => void
}

export function Composer({ room, hasPlan, isBlocked, onUpgrade }: Props) {
  const env = useEnv()
  const field = useRef<HTMLTextAreaElement>(null)
  const isConnected = useStore(connectionStore, (state) => state.phase === 'open')
  const { text, change: setText, empty, isUnkept } = useDraft(room.id)
  const reply = useStore(replyStore, () => replyIn(room.id))
  const edit = useStore(editStore, () => editIn(room.id))
  useEffect(() => openReply(env, room.id), [env, room.id])
  useEffect(() => openEdit(env, room.id), [env, room.id])
  const typing = useTyping(room)
  // Nobody pays to write to themselves.
  const isOwn = isNotes(room)
  const given = useGiven()
  const isOnline = useOnline()
  const connection = isConnected ? '' : `${connectingWords()}${isOnline ? '' : ' · you are offline'}`
  const sizeBytes = textBytes(text)
  const isTooLong = sizeBytes > LIMITS.textBytes
  const canSend = !isBlocked && !isTooLong && text.trim() !== ''
  useHeight(field, text)
  useFocus(field, isBlocked)

  async function send() {
    if (!canSend) return
    if (!hasPlan && !isOwn) return onUpgrade()
    typing.send()
    // A render by React would cost a style pass over the page.
    if (field.current) field.current.value = ''
    empty()
    if (reply) showReply(room.id, null)
    let keptId: string | undefined
    const onKept = (id: string) => {
      keptId = id
    }
    const outcome = await sendAndReport(() => sendText(env, room, text, onKept, reply), onUpgrade)
    if (keptId === undefined) {
      if (reply) showReply(room.id, reply)
      return giveBack(text)
    }
    if (isOwn && outcome === 'limit_reached') onUpgrade()
    const isRefused = outcome === 'subscription_required' || outcome === 'limit_reached'
    // A new text in the field leaves the refused message as an unsent line.
    if (!isRefused || field.current?.value !== '') return
    const { takeBack } = await import('./unsentMessage.ts')
    if (await takeBack(env, room, keptId)) await giveBack(text)
  }

  /** The lost text is stored nowhere and returns before the newer text. */
  async function giveBack(lost: string) {
    const stored = () => readDraft(env, room.id).catch(() => '')
    // The text stored before the tap is a prefix of the lost text.
    const typed = field.current?.value ?? (await stored().then((kept) => (lost.startsWith(kept) ? '' : kept)))
    const both = typed === '' ? lost : `${lost}\n${typed}`
    if (field.current) setText(both)
    else await keepDraft(env, room.id, both).catch(() => undefined)
  }

  useEffect(() => {
    const give = async (lost: string) => {
      await giveBack(lost)
      field.current?.focus()
    }
    composer.open = { chatRoomId: room.id, field, giveBack: give }
    return () => {
      delete composer.open
    }
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    void send()
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>) {
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.nativeEvent.isComposing
    if (event.key === 'ArrowUp' && text === '' && isPlain) void editLast(env, room)
    // During composition Enter accepts the input method's word. Safari sends that key with code 229 after composition has ended.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }

  return (
    // React would hand a dialog's submit to a surrounding form.
    <div className="compose">
      {edit && !isBlocked && <EditForm key={edit.target.id} {...{ room, edit, onUpgrade }} hasPlan={hasPlan || isOwn} />}
      <span className="attaching">
        <Attach
          chatRoomId={room.id}
          hasPlan={hasPlan}
          isBlocked={isBlocked}
          given={given}
          nextFocus={() => (hasKeyboard() ? field.current : null)}
          onWords={(words) => setText(text ? `${text}\n${words}` : words)}
        />
      </span>
      <form className="writing" noValidate onSubmit={submit}>
        <div className={isTooLong ? 'input bad' : 'input'}>
          {reply && (
            <ReplyLine
              chatRoomId={room.id}
              quote={reply}
              onCancel={() => {
                writeOn()
                void chooseReply(env, room.id, null)
              }}
            />
          )}
          <textarea
            ref={field}
            rows={1}
            dir="auto"
            // Without this attribute the browser stores the typed text in its session file.
            autoComplete="off"
            aria-label="Message"
            placeholder={isBlocked ? STOPPED : connection || (isOwn ? 'Write to yourself...' : 'Type a message...')}
            value={text}
            disabled={isBlocked}
            aria-invalid={isTooLong || undefined}
            aria-describedby={isTooLong || isBlocked || connection || isUnkept ? 'compose-note' : undefined}
            onChange={(event) => {
              setText(event.target.value)
              typing.change(event.target.value !== '')
            }}
            onBlur={({ relatedTarget, currentTarget }) => {
              // Send ends typing itself.
              if (relatedTarget === currentTarget.form?.querySelector('.send')) return
              typing.stop()
            }}
            onKeyDown={press}
          />
          {!isBlocked && <EmojiButton field={field} onText={setText} />}
          {!isBlocked && !isOwn && <MentionCompletion field={field} onText={setText} />}
        </div>
        <button
          type="submit"
          className="send"
          aria-label={isConnected ? 'Send' : 'Send when connected'}
          data-tip={isConnected ? undefined : ''}
          disabled={!canSend}
        >
          <ArrowUp className="i" aria-hidden />
        </button>
        <ComposeNote
          tooLongBytes={isTooLong ? sizeBytes : null}
          words={text && (isUnkept ? UNKEPT : isBlocked ? `${STOPPED}: what you type stays here.` : connection)}
        />
      </form>
    </div>
  )
}

const STOPPED = 'Sending is stopped'
const UNKEPT = 'This browser has no room left: what you type is lost when this page closes.'

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
