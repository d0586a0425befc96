import { Camera, Mic, Paperclip } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { LIMITS } from '../../contract/limits.ts'
import { sendFile } from '../files/send.ts'
import { useEnv } from '../ui/env.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { Menu, type Point } from '../ui/Menu.tsx'
import { showToast } from '../ui/toast.ts'
import { useMedia } from '../ui/useMedia.tsx'
import { followerOf } from './files.ts'

const AttachDialog = later(async () => (await import('../files/AttachDialog.tsx')).AttachDialog)
const Recorder = later(async () => (await import('../files/Recorder.tsx')).Recorder)
const UpgradeDialog = later(async () => (await import('../plans/UpgradeDialog.tsx')).UpgradeDialog)

/** What the picker offers. A drop or a paste may bring any file: it goes out as a document. */
const ACCEPTED = 'image/*,video/*,audio/*,.pdf,.doc,.docx,.txt'
const FILES_MAX = 30

interface Props {
  chatRoomId: string
  /** True if the plan allows sharing files. */
  hasPlan: boolean
  /** True while nothing can be sent in this chat. */
  isBlocked: boolean
}

/** The buttons beside the field: a file, a photo, a voice message. Files dropped on the page or pasted come here too. */
export function Attach({ chatRoomId, hasPlan, isBlocked }: Props) {
  const env = useEnv()
  const picker = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const isTouch = useMedia('(pointer: coarse)')
  const [files, setFiles] = useState<File[]>([])
  const [menuAt, setMenuAt] = useState<Point>()
  const [isRecording, setRecording] = useState(false)
  const [isUpgrading, setUpgrading] = useState(false)
  const [isOver, setOver] = useState(false)

  function take(list: FileList | null | undefined) {
    const chosen = [...(list ?? [])]
    if (chosen.length === 0 || isBlocked) return
    if (!hasPlan) return setUpgrading(true)
    const fit = chosen.filter(({ size }) => size <= LIMITS.fileBytes && size > 0)
    if (chosen.some(({ size }) => size > LIMITS.fileBytes))
      showToast({ tone: 'bad', title: 'File Too Large', text: 'Please select a file smaller than 10MB' })
    for (const { name } of chosen.filter(({ size }) => size === 0))
      showToast({ tone: 'bad', title: 'Empty File', text: `“${name}” has nothing in it` })
    setFiles((before) => {
      if (before.length + fit.length > FILES_MAX)
        showToast({ tone: 'bad', title: 'Too Many Files', text: `At most ${FILES_MAX} files can be sent at once` })
      return [...before, ...fit].slice(0, FILES_MAX)
    })
  }

  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') && !isCovered()
    const paste = (event: ClipboardEvent) => {
      const { files: pasted } = event.clipboardData ?? {}
      if (!pasted?.length || isCovered()) return
      event.preventDefault()
      latest.current(pasted)
    }
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      latest.current(event.dataTransfer?.files)
    }
    document.addEventListener('paste', paste)
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('paste', paste)
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  }, [])

  const choose = () => (hasPlan ? picker.current?.click() : setUpgrading(true))
  function ask(button: HTMLElement) {
    if (!isTouch || !hasPlan) return choose()
    const { left, top } = button.getBoundingClientRect()
    setMenuAt({ x: left, y: top })
  }

  async function send(picked: File[], options: { caption: string; isSmaller: boolean }) {
    setFiles([])
    const chats = followerOf(env)
    for (const [at, file] of picked.entries())
      await sendFile(env, chats, chatRoomId, file, { ...options, caption: at === 0 ? options.caption : '' })
  }

  if (isRecording)
    return (
      <Recorder
        onCancel={() => setRecording(false)}
        onSend={async (prepared) => {
          setRecording(false)
          await sendFile(env, followerOf(env), chatRoomId, prepared)
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
      <IconButton
        icon={Mic}
        label="Record a voice message"
        className="attach"
        onClick={() => !isBlocked && (hasPlan ? setRecording(true) : setUpgrading(true))}
      />
      {menuAt && (
        <Menu
          label="Attach"
          at={menuAt}
          items={[
            { icon: Camera, label: 'Take a photo', onSelect: () => camera.current?.click() },
            { icon: Paperclip, label: 'Choose files', onSelect: choose },
          ]}
          onClose={() => setMenuAt(undefined)}
        />
      )}
      {isOver && <div className="att-drop">Drop files to send them</div>}
      {files.length > 0 && (
        <AttachDialog
          files={files}
          onRemove={(file) => setFiles((before) => before.filter((one) => one !== file))}
          onMore={choose}
          onSend={send}
          onClose={() => setFiles([])}
        />
      )}
      {isUpgrading && <UpgradeDialog feature="fileSharing" isRefused={false} onClose={() => setUpgrading(false)} />}
    </>
  )
}

/** True while a dialog that is not about these files is open. */
const isCovered = (): boolean => document.querySelector('[role=dialog]:not(.att-dialog), [role=alertdialog]') !== null
