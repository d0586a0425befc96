import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import type { FileContent } from '../../../contract/chat/content.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { VoicePlayer } from '../files/VoicePlayer.tsx'
import '../files/viewer.css'
import '../files/files.css'
import './once.css'

interface Props {
  name: string
  /** undefined while it is opened. */
  opened: { file: FileContent; bytes: Blob } | undefined
  /** How far it is. */
  state: string
  onClose: () => void
}

/** Shows what was opened over the whole page, until it is closed: nothing keeps its bytes. */
export function OnceViewer({ name, opened, state, onClose }: Props) {
  const giveBack = useOver(onClose)
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Content
          className="viewer"
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            giveBack()
          }}
        >
          <header>
            <div>
              <Radix.Title>{name}</Radix.Title>
              <p role="status">{opened ? 'Gone when you close it' : state}</p>
            </div>
            <IconButton icon={X} label="Close" onClick={onClose} />
          </header>
          <div className="viewer-stage">{opened && <Stage {...opened} name={name} />}</div>
          {opened?.file.caption && (
            <p dir="auto" className="viewer-caption">
              {opened.file.caption}
            </p>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function Stage({ file, bytes, name }: { file: FileContent; bytes: Blob; name: string }) {
  const [url, setUrl] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(bytes)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const audio = box.current?.querySelector('audio')
    return () => {
      // An element that has played keeps its bytes, and a media key may play it again.
      audio?.pause()
      audio?.removeAttribute('src')
      audio?.load()
    }
  }, [])
  const fail = () => setBroken(true)
  if (isBroken) return <p>This browser cannot show it</p>
  if (!file.voice) return url && <img src={url} alt={name} draggable={false} onError={fail} />
  return (
    <div className="once-voice" ref={box}>
      <VoicePlayer voice={file.voice} url={url} part={undefined} onWant={() => undefined} onBroken={fail} />
    </div>
  )
}
