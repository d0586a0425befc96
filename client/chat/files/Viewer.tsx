import { ChevronLeft, ChevronRight, Download, MessageSquareText, X, ZoomIn, ZoomOut } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { showToast } from '../../ui/toast.ts'
import { useOver } from '../../ui/useOver.tsx'
import { Blurred } from './Blurred.tsx'
import { nameOf, sizeWords } from './fileWords.ts'
import type { Held } from './openedFiles.ts'
import { saveHeld } from './openFile.ts'
import { type Pictures, withNewerPictures, withOlderPictures } from './pictures.ts'
import { NotThere, notThere, useOpened } from './useOpened.tsx'
import { useZoom } from './useZoom.tsx'
import './viewer.css'

interface Props {
  held: Held
  /** The message's seq; null before sending. */
  seq: number | null
  onClose: () => void
  /** Leads to the shown picture's message, where the chat is not behind it. */
  onJump?: (seq: number) => void
}

type Shown = Held & { seq: number | null }

export function Viewer({ held, seq, onClose, onJump }: Props) {
  const env = useEnv()
  const giveBack = useOver(onClose)
  const [shown, setShown] = useState<Shown>({ ...held, seq })
  const { pictures, at, isWhole } = usePictures({ ...held, seq }, shown)
  const step = (by: number) => {
    const next = pictures[at + by]
    if (next) setShown(next)
  }
  const zoom = useZoom(shown.file.object, step)
  const name = nameOf(shown.file.name) || 'Photo'

  function press(event: KeyboardEvent) {
    if (event.key === 'ArrowLeft') step(-1)
    else if (event.key === 'ArrowRight') step(1)
    else if (event.key === '+' || event.key === '=') zoom.by(1.5)
    else if (event.key === '-') zoom.by(1 / 1.5)
    else if (event.key === '0') zoom.reset()
    else return
    event.preventDefault()
  }

  async function save() {
    await saveHeld(env, shown).catch((error: unknown) =>
      showToast({ tone: 'bad', title: notThere(shown), text: failureWords(error) }),
    )
  }

  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Content
          className="viewer"
          aria-describedby={undefined}
          onKeyDown={press}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            giveBack()
          }}
        >
          <header>
            <div>
              <Radix.Title>
                <bdi>{name}</bdi>
              </Radix.Title>
              <p role="status">
                {sizeWords(shown.file.sizeBytes)}
                {isWhole && pictures.length > 1 && ` · ${at + 1} of ${pictures.length}`}
              </p>
            </div>
            <IconButton
              icon={zoom.isNear ? ZoomOut : ZoomIn}
              label={zoom.isNear ? 'Zoom out' : 'Zoom in'}
              onClick={zoom.toggle}
            />
            {onJump && shown.seq !== null && (
              <IconButton
                icon={MessageSquareText}
                label={`Show ${name} in chat`}
                onClick={() => {
                  onClose()
                  onJump(shown.seq ?? 0)
                }}
              />
            )}
            <IconButton icon={Download} label="Save" onClick={() => void save()} />
            <IconButton icon={X} label="Close" onClick={onClose} />
          </header>
          <Stage key={shown.file.object} held={shown} zoom={zoom} />
          {at > 0 && <IconButton icon={ChevronLeft} label="Previous picture" className="before" onClick={() => step(-1)} />}
          {at < pictures.length - 1 && (
            <IconButton icon={ChevronRight} label="Next picture" className="after" onClick={() => step(1)} />
          )}
          {shown.file.caption && (
            <p dir="auto" className="viewer-caption">
              {shown.file.caption}
            </p>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Reads more pictures at either end. */
function usePictures(opened: Shown, shown: Shown) {
  const env = useEnv()
  const { chatRoomId, seq } = opened
  const [row, setRow] = useState<Pictures>({ pictures: [opened], before: seq ?? undefined, after: seq ?? undefined })
  const { pictures, before, after } = row
  // Two messages can name one object.
  const at = pictures.findIndex(({ file, seq }) => seq === shown.seq && file.object === shown.file.object)
  const isFirst = at === 0
  const isLast = at === pictures.length - 1
  useEffect(() => {
    const end = new AbortController()
    // A failed read still shows the opened picture.
    if (isFirst && before !== undefined) withOlderPictures(env, chatRoomId, before, end.signal).then(setRow, () => undefined)
    return () => end.abort()
  }, [env, chatRoomId, isFirst, before])
  useEffect(() => {
    const end = new AbortController()
    if (isLast && after !== undefined) withNewerPictures(env, chatRoomId, after, end.signal).then(setRow, () => undefined)
    return () => end.abort()
  }, [env, chatRoomId, isLast, after])
  return { pictures, at, isWhole: before === undefined && after === undefined }
}

function Stage({ held, zoom }: { held: Held; zoom: ReturnType<typeof useZoom> }) {
  const [tries, setTries] = useState(0)
  const [isBroken, setBroken] = useState(false)
  const { url, failure, isRefused } = useOpened(held, tries % 2 === 0)
  const words = isBroken ? 'This browser cannot show it' : failure
  function retry() {
    setBroken(false)
    setTries(tries + 1)
    setTimeout(() => setTries(tries + 2))
  }
  return (
    <div className="viewer-stage" {...zoom.handlers}>
      {words ? (
        <NotThere held={held} failure={words} isRefused={isRefused || isBroken} onRetry={retry} />
      ) : url ? (
        <img
          src={url}
          alt={nameOf(held.file.name) || 'Photo'}
          draggable={false}
          style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}
          onError={() => setBroken(true)}
        />
      ) : (
        <Blurred picture={held.file.picture} />
      )}
    </div>
  )
}
