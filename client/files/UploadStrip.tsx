import { Pause, Play, X } from 'lucide-react'
import { useEnv } from '../ui/env.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import type { Upload } from './memory.ts'
import { cancelUpload, pauseUpload, resumeUpload } from './upload.ts'

/** How far a file is that goes out, and what can be done about it. */
export function UploadStrip({ upload }: { upload: Upload }) {
  const env = useEnv()
  const { part, isPaused, failure, isKept } = upload
  const isStopped = isPaused || failure !== null
  return (
    <div className={failure ? 'att-upload fail' : 'att-upload'}>
      <span role={failure ? 'alert' : 'status'}>{wordsOf(upload)}</span>
      <span className="acts">
        {isStopped ? (
          <IconButton icon={Play} label={failure ? 'Retry' : 'Resume'} isTight onClick={() => void resumeUpload(env, upload)} />
        ) : (
          <IconButton icon={Pause} label="Pause" isTight onClick={() => void pauseUpload(env, upload)} />
        )}
        <IconButton icon={X} label="Cancel" isTight onClick={() => void cancelUpload(env, upload)} />
      </span>
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
