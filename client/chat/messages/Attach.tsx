import { ArrowLeftRight, Camera, Mic, Paperclip } from 'lucide-react'
import { type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useStore } from 'zustand'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { fitting, isFitting, isTooLarge, tellTooLarge } from '../files/fittingFiles.ts'
import '../files/drop.css'
import { isNotes } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { voiceOf } from '../../rooms/list/voicedrafts.ts'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { Menu, type Point } from '../../ui/Menu.tsx'
import { showToast } from '../../ui/toast.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { useMedia } from '../../ui/useMedia.tsx'
import { type Options, sendFile } from '../files/sendFile.ts'
import { sendFiles } from '../files/sendFiles.ts'
import type { Press } from '../files/useHold.tsx'
import { askTransfer, endTransferAsk, transferStore } from '../transferline/transferState.ts'
import { followerOf } from './chatFiles.ts'
import { withReply } from './replies.ts'
import type { useGiven } from './useGiven.tsx'

const AttachDialog = later(async () => (await import('../files/AttachDialog.tsx')).AttachDialog)
const Recorder = later(async () => (await import('../files/Recorder.tsx')).Recorder)
const TransferDialog = later(async () => (await import('../transferline/TransferDialog.tsx')).TransferDialog)
/** The line may be lost before somebody attaches. */
export function loadDialogs(): void {
  for (const dialog of [AttachDialog, Recorder]) void dialog.preload()
}

const UpgradeDialog = later(async () => (await import('../../plan/plans/UpgradeDialog.tsx')).UpgradeDialog)

/** The picker's types; a dropped or pasted file of another type goes out as a document. */
const ACCEPTED = 'image/*,video/*,audio/*,.pdf,.doc,.docx,.txt'
const FILES_MAX = 30

const fitsDirectly = ({ size }: File): boolean => size <= TRANSFER_LIMITS.fileBytes

interface Props {
  chatRoomId: string
  hasPlan: boolean
  isBlocked: boolean
  given: ReturnType<typeof useGiven>
  /** Takes the focus after sending or recording; null if the focus opens an on-screen keyboard. */
  nextFocus: () => HTMLElement | null
  /** Takes the caption of files that were not sent. */
  onWords: (words: string) => void
}

export function Attach({ chatRoomId, hasPlan, isBlocked, given, nextFocus, onWords }: Props) {
  const env = useEnv()
  const picker = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const isTouch = useMedia('(pointer: coarse)')
  const [files, setFiles] = useState<File[]>([])
  const [menuAt, setMenuAt] = useState<Point>()
  const [recording, setRecording] = useState<{ heldFrom: Press | undefined } | undefined>(() =>
    voiceOf(chatRoomId) ? { heldFrom: undefined } : undefined,
  )
  const [isUpgrading, setUpgrading] = useState(false)
  const large = useRef<File[]>([])
  const room = roomById(chatRoomId)
  const hasReader = room !== undefined && !isNotes(room)
  const isAsked = useStore(transferStore, ({ asked }) => asked?.chatRoomId === chatRoomId)
  useEffect(() => endTransferAsk, [])

  function take(list: Iterable<File> | null) {
    const chosen = [...(list ?? [])]
    if (chosen.length === 0) return
    if (!hasPlan) return setUpgrading(true)
    takeLarge(chosen.filter(isTooLarge), chosen.some(isFitting))
    const fit = fitting(chosen, true)
    setFiles((before) => {
      if (before.length + fit.length > FILES_MAX)
        showToast({ tone: 'bad', title: 'Too Many Files', text: `At most ${FILES_MAX} files can be sent at once` })
      return [...before, ...fit].slice(0, FILES_MAX)
    })
  }

  /** What is too large is offered another way once the others are sent. */
  function takeLarge(chosen: File[], isLater: boolean) {
    if (chosen.length === 0) return
    large.current = isLater ? chosen : []
    tellTooLarge(isLater || !chosen.some(fitsDirectly) ? undefined : () => askTransfer(chatRoomId, chosen))
  }

  useEffect(() => {
    if (given.files.length === 0 || isBlocked) return
    given.taken()
    take(given.files)
  })
  useEffect(() => {
    if (given.files.length > 0 && isBlocked)
      showToast({
        tone: 'bad',
        title: 'Sending is stopped',
        text: 'The files are kept on this page until you can send here again.',
      })
  }, [given.files, isBlocked])

  const wasRecording = useRef(false)
  const latestNext = useLatest(nextFocus)
  useLayoutEffect(() => {
    const hasEnded = wasRecording.current && !recording
    wasRecording.current = recording !== undefined
    // The pressed button has gone with the recorder. A focus elsewhere stays.
    if (hasEnded && document.activeElement === document.body) latestNext.current()?.focus({ preventScroll: true })
  }, [recording, latestNext])

  const choose = () => (hasPlan ? picker.current?.click() : setUpgrading(true))
  function ask(button: HTMLElement) {
    if (!hasPlan) return choose()
    const { left, top } = button.getBoundingClientRect()
    setMenuAt({ x: left, y: top })
  }

  function press({ button, clientX: x, clientY: y }: PointerEvent) {
    if (!hasPlan || button !== 0) return
    const heldFrom = { x, y, isOver: false }
    const end = () => {
      heldFrom.isOver = true
    }
    for (const event of ['pointerup', 'pointercancel']) document.addEventListener(event, end, { once: true, capture: true })
    setRecording({ heldFrom })
  }

  async function send(picked: File[], options: Options) {
    // The dialog would return the focus after the next letter.
    flushSync(() => setFiles([]))
    nextFocus()?.focus({ preventScroll: true })
    const chats = followerOf(env)
    takeLarge(large.current, false)
    await withReply(env, chatRoomId, (more) => sendFiles(env, chats, chatRoomId, picked, { ...options, ...more }))
  }

  if (recording)
    return (
      <Recorder
        chatRoomId={chatRoomId}
        hasReader={hasReader}
        heldFrom={recording.heldFrom}
        onCancel={() => setRecording(undefined)}
        onSend={async (prepared) => {
          setRecording(undefined)
          const plain = { caption: '', isSmaller: false }
          await withReply(env, chatRoomId, (more) => sendFile(env, followerOf(env), chatRoomId, prepared, { ...plain, ...more }))
        }}
      />
    )
  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        accept={ACCEPTED}
        aria-label="Files to send"
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }}
      />
      <input
        ref={camera}
        type="file"
        hidden
        accept="image/*"
        capture="environment"
        aria-label="Photo to take"
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }}
      />
      <button
        type="button"
        className="icon-btn attach"
        aria-label="Attach files"
        data-tip=""
        disabled={isBlocked}
        onClick={(event) => ask(event.currentTarget)}
      >
        <Paperclip className="i" aria-hidden />
      </button>
      <button
        type="button"
        className="icon-btn attach mic"
        aria-label="Record a voice message"
        data-tip=""
        disabled={isBlocked}
        onPointerDown={press}
        onClick={() => (hasPlan ? setRecording({ heldFrom: undefined }) : setUpgrading(true))}
        onContextMenu={(event) => event.preventDefault()}
      >
        <Mic className="i" aria-hidden />
      </button>
      {menuAt && (
        <Menu
          label="Attach"
          at={menuAt}
          items={[
            ...(isTouch ? [{ icon: Camera, label: 'Take a photo', onSelect: () => camera.current?.click() }] : []),
            { icon: Paperclip, label: 'Choose files', onSelect: choose },
            { icon: ArrowLeftRight, label: 'Send directly, up to 100 MB', onSelect: () => askTransfer(chatRoomId) },
          ]}
          onClose={() => setMenuAt(undefined)}
        />
      )}
      {given.isOver && <div className="att-drop">{isBlocked ? 'Sending is stopped' : 'Drop files to send them'}</div>}
      {files.length > 0 && (
        <AttachDialog
          files={files}
          hasReader={hasReader}
          onRemove={(file) => setFiles((before) => before.filter((one) => one !== file))}
          onMore={choose}
          onSend={send}
          onClose={(caption) => {
            large.current = []
            setFiles([])
            if (caption) onWords(caption)
          }}
          nextFocus={nextFocus}
        />
      )}
      {isAsked && <TransferDialog chatRoomId={chatRoomId} nextFocus={nextFocus} />}
      {isUpgrading && <UpgradeDialog feature="fileSharing" isRefused={false} onClose={() => setUpgrading(false)} />}
    </>
  )
}
