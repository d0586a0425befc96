import { Pause, Play, RotateCw, X } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { noteFocus } from '../../ui/opener.ts'
import { sendInPlace } from './sendFile.ts'
import { cancelUpload, pauseUpload, resumeUpload } from './uploadQueue.ts'
import type { Upload } from './uploadsState.ts'

export function UploadStrip({ upload }: { upload: Upload }) {
  const env = useEnv()
  const box = useRef<HTMLDivElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const { part, isPaused, failure, isKept, isLost } = upload
  const isStopped = isPaused || failure !== null
  // A pressed button disappears with its strip.
  useLayoutEffect(() => {
    const strip = box.current
    return () => {
      if (strip?.contains(document.activeElement)) requestAnimationFrame(noteFocus())
    }
  }, [])
  /** The bubble disappears shortly after the strip. */
  async function cancel() {
    const giveBack = noteFocus()
    await cancelUpload(env, upload)
    requestAnimationFrame(giveBack)
  }
  return (
    <div ref={box} className={failure ? 'att-upload stopped fail' : isPaused ? 'att-upload stopped' : 'att-upload'}>
      <span role={failure ? 'alert' : 'status'}>{wordsOf(upload)}</span>
      <span className="acts">
        {isLost ? (
          // Nobody has a voice message as a file.
          !(upload.isOnce && upload.content.voice) && (
            <button type="button" className="linkish" onClick={() => picker.current?.click()}>
              Choose again
            </button>
          )
        ) : failure !== null ? (
          <IconButton icon={RotateCw} label="Retry" isTight onClick={() => void resumeUpload(env, upload)} />
        ) : isPaused ? (
          <IconButton icon={Play} label="Resume" isTight onClick={() => void resumeUpload(env, upload)} />
        ) : (
          <IconButton icon={Pause} label="Pause" isTight onClick={() => void pauseUpload(env, upload)} />
        )}
        <IconButton icon={X} label="Cancel" isTight onClick={() => void cancel()} />
      </span>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="File to send instead"
        onChange={(event) => void sendInPlace(env, upload, event.target)}
      />
      {!isStopped && <progress max={1} value={part} aria-label="Sent" />}
      {!isKept && !failure && <span>Keep this page open until it is sent.</span>}
    </div>
  )
}

function wordsOf({ isPaused, failure, state, reason, part }: Upload): string {
  if (failure) return `Not sent. ${/[.!?]$/.test(failure) ? failure : `${failure}.`}`
  if (isPaused) return 'Paused'
  if (state === 'waiting') return `Waiting. ${reason ?? ''}`
  return state === 'uploading' ? `Uploading, ${Math.round(part * 100)} %` : 'Waiting for its turn'
}
