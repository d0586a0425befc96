import { CircleAlert, Clock, ImageIcon, Play, RotateCw, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { noteFocus } from '../../ui/opener.ts'
import { hasFailed, inPlace, isWaiting, type Part } from './albumParts.ts'
import { Blurred } from './Blurred.tsx'
import { nameOf } from './fileWords.ts'
import { sendInPlace } from './sendFile.ts'
import { cancelUpload, resumeUpload } from './uploadQueue.ts'
import { useOnceNear } from './useOnceNear.tsx'
import { useOpened } from './useOpened.tsx'

interface Props {
  part: Part
  /** Pictures that have no cell of their own. */
  more: number
  onOpen: () => void
  onRetry: (id: string) => void
  onDelete: (id: string) => void
}

/** The viewer says why a picture is not there. */
export function AlbumCell({ part, more, onOpen, ...acts }: Props) {
  const cell = useRef<HTMLDivElement>(null)
  const isNear = useOnceNear(cell)
  const [isBroken, setBroken] = useState(false)
  const { held, upload } = part
  const isOut = upload !== undefined || held.file.object === ''
  const { url, failure } = useOpened(held, isNear && !isOut)
  const name = nameOf(held.file.name) || 'Photo'
  const isThere = url && !isBroken
  return (
    <div ref={cell} className="album-cell">
      <button
        type="button"
        className="att-picture"
        aria-label={more > 0 ? `Open ${name}, and ${more} more` : `Open ${name}`}
        disabled={isOut}
        onClick={onOpen}
      >
        {isThere ? (
          <img src={url} alt={name} onError={() => setBroken(true)} />
        ) : failure || isBroken ? (
          <CircleAlert className="i" aria-hidden />
        ) : held.file.picture?.thumbnail ? (
          <Blurred picture={held.file.picture} />
        ) : (
          <ImageIcon className="i" aria-hidden />
        )}
        {more > 0 && (
          <span className="album-more" aria-hidden="true">
            +{more}
          </span>
        )}
      </button>
      {(upload || inPlace(part)) && <Sending part={part} name={name} {...acts} />}
    </div>
  )
}

function Sending({ part, name, onRetry, onDelete }: Pick<Props, 'part' | 'onRetry' | 'onDelete'> & { name: string }) {
  const env = useEnv()
  const picker = useRef<HTMLInputElement>(null)
  const { id, upload } = part
  const isBad = hasFailed(part)
  const isStill = isWaiting(part)
  const isForEver = part.reason === REFUSAL_TEXTS.account_deleted
  function retry() {
    if (!upload) return onRetry(id)
    if (upload.isLost) return picker.current?.click()
    void resumeUpload(env, upload)
  }
  /** The cell goes shortly after. */
  async function cancel() {
    const giveBack = noteFocus()
    if (upload) await cancelUpload(env, upload)
    else onDelete(id)
    requestAnimationFrame(giveBack)
  }
  return (
    <span className={isBad ? 'album-sending bad' : 'album-sending'}>
      {isStill && !upload?.isPaused && <Clock className="i i-16" aria-hidden />}
      {isBad && !isForEver && (
        <IconButton icon={RotateCw} label={`${upload?.isLost ? 'Choose again:' : 'Retry'} ${name}`} isTight onClick={retry} />
      )}
      {upload?.isPaused && !isBad && <IconButton icon={Play} label={`Resume ${name}`} isTight onClick={retry} />}
      <IconButton icon={X} label={`${upload ? 'Cancel' : 'Delete'} ${name}`} isTight onClick={() => void cancel()} />
      {upload && !isBad && !isStill && <progress max={1} value={upload.part} aria-label={`${name}, sent`} />}
      {upload?.isLost && (
        <input
          ref={picker}
          type="file"
          hidden
          aria-label={`File to send instead of ${name}`}
          onChange={(event) => void sendInPlace(env, upload, event.target)}
        />
      )}
    </span>
  )
}
