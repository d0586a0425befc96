import { Plus, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { textBytes } from '../../../contract/ground/bytes.ts'
import { isShowable } from '../../me/photo/pixels.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { readsPixels } from '../../ui/readsPixels.ts'
import { Wrong } from '../../ui/Wrong.tsx'
import { METADATA, METADATA_WITH_NOISE } from './attachWords.ts'
import { heldType, nameOf, sizeWords } from './fileWords.ts'
import { KindTile } from './KindTile.tsx'
import { type Ahead, sealAhead } from './sealAhead.ts'
import type { Options } from './sendFile.ts'
import './attach.css'
import './files.css'

interface Props {
  files: File[]
  /** Somebody else can open it. */
  hasReader: boolean
  onRemove: (file: File) => void
  onMore: () => void
  onSend: (files: File[], options: Options) => Promise<void>
  /** With the caption as typed so far, which must not be lost. */
  onClose: (caption: string) => void
  /** null returns the focus to its former place. */
  nextFocus: () => HTMLElement | null
}

const isPicture = ({ type }: File): boolean => heldType(type).startsWith('image/')

/** Some browsers give no type. */
const PHOTOS = /\.(heic|heif|tiff?|dng)$/i
const mayTellPlace = ({ type, name }: File): boolean => (type.startsWith('image/') ? type !== 'image/svg+xml' : PHOTOS.test(name))

export function AttachDialog({ files, hasReader, onRemove, onMore, onSend, onClose, nextFocus }: Props) {
  const [caption, setCaption] = useState('')
  const [isSmaller, setSmaller] = useState(true)
  const [isOnce, setOnce] = useState(false)
  const [hasNoise] = useState(() => !readsPixels())
  const isTooLong = textBytes(caption) > SAID.captionBytes
  const hasPictures = files.some(mayTellPlace)
  const canOpenOnce = hasReader && files.every(isPicture)
  const isMixed = isOnce && !canOpenOnce
  const [first] = files
  const takeAhead = useAhead(first)
  const isSent = useRef(false)
  const isLeft = useRef(false)
  /** Escape comes twice, by Radix and by the dialog. */
  function leave() {
    if (isLeft.current) return
    isLeft.current = true
    onClose(caption.trim())
  }
  return (
    <Dialog
      title={files.length === 1 ? 'Send a file' : `Send ${files.length} files`}
      onClose={leave}
      nextFocus={() => (isSent.current ? nextFocus() : null)}
    >
      <form
        className="att-send"
        onSubmit={(event) => {
          event.preventDefault()
          if (isTooLong || isMixed) return
          isSent.current = true
          void onSend(files, { caption: caption.trim(), isSmaller, isOnce, ahead: takeAhead() })
        }}
      >
        {files.length === 1 && first && isPicture(first) ? (
          <Preview file={first} isLarge />
        ) : (
          <ul className="att-list">
            {files.map((file, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
              <li key={`${at} ${file.name}`}>
                {isPicture(file) ? <Preview file={file} /> : <KindTile name={nameOf(file.name)} />}
                <span className="att-words">
                  <b>
                    <bdi>{nameOf(file.name)}</bdi>
                  </b>
                  <small>{sizeWords(file.size)}</small>
                </span>
                {files.length > 1 && (
                  <IconButton icon={X} label={`Leave out ${nameOf(file.name)}`} isTight onClick={() => onRemove(file)} />
                )}
              </li>
            ))}
          </ul>
        )}
        <Field
          label="Caption"
          data-first
          type="text"
          dir="auto"
          autoComplete="off"
          value={caption}
          error={isTooLong ? `Too long: a caption holds at most ${SAID.captionBytes / 1024} KB of text.` : undefined}
          onValue={setCaption}
        />
        {hasPictures && (
          <>
            {!hasNoise && (
              <label className="att-check">
                <input type="checkbox" checked={isSmaller} onChange={(event) => setSmaller(event.target.checked)} />
                Make pictures smaller
              </label>
            )}
            <p className="help">{hasNoise ? METADATA_WITH_NOISE : METADATA}</p>
          </>
        )}
        {(canOpenOnce || isOnce) && (
          <>
            <label className="att-check">
              <input type="checkbox" checked={isOnce} onChange={(event) => setOnce(event.target.checked)} />
              View once
            </label>
            {isMixed && <Wrong>Only pictures open once. Leave the other files out, or take the check mark away.</Wrong>}
            {isOnce && !isMixed && (
              <p className="help">
                It opens one time, without a thumbnail; then browsers and the server delete it. Nobody can keep a reader from
                photographing it, or from using a changed page.
              </p>
            )}
          </>
        )}
        <footer>
          <button type="button" className="btn outline" onClick={onMore}>
            <Plus className="i i-16" aria-hidden />
            Add files
          </button>
          <button type="submit" className="btn primary" disabled={isTooLong || isMixed}>
            Send
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/**
 * Seals a single file ahead, but no picture, which may still become smaller. Returns a function that takes the sealed file; the
 * dialog deletes an untaken file.
 */
function useAhead(file: File | undefined): () => Ahead | undefined {
  const env = useEnv()
  const ahead = useRef<Ahead>(undefined)
  useEffect(() => {
    if (!file || file.type.startsWith('image/')) return
    ahead.current = sealAhead(env, file)
    return () => {
      void ahead.current?.drop()
      ahead.current = undefined
    }
  }, [env, file])
  return () => {
    const taken = ahead.current
    ahead.current = undefined
    return taken
  }
}

function Preview({ file, isLarge = false }: { file: File; isLarge?: boolean }) {
  const url = useMemo(() => URL.createObjectURL(file), [file])
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    let isHere = true
    isShowable(file).then(
      (isFit) => isHere && setShown(isFit),
      // A file that is gone is told when it is sent.
      () => undefined,
    )
    return () => {
      isHere = false
      URL.revokeObjectURL(url)
    }
  }, [file, url])
  if (!isShown) return <KindTile name={nameOf(file.name)} />
  return <img className={isLarge ? 'att-preview large' : 'att-preview'} src={url} alt={nameOf(file.name)} />
}
