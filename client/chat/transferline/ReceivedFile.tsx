import { Download, ImageIcon, Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { later } from '../../ui/later.tsx'
import { showToast } from '../../ui/toast.ts'
import { lookOf, nameOf } from '../files/fileWords.ts'
import { saveHeld } from '../files/openFile.ts'
import { notThere } from '../files/useOpened.tsx'
import { heldTransfer } from './heldTransfer.ts'
import type { Transfer } from './transferState.ts'

const Viewer = later(async () => (await import('../files/Viewer.tsx')).Viewer)
const Player = later(async () => (await import('../files/Player.tsx')).Player)

/** What came, whole: a picture opens over the page, what plays plays here, and anything else is saved. */
export function ReceivedFile({ transfer, seq }: { transfer: Transfer; seq: number | null }) {
  const env = useEnv()
  const { chatRoomId, content } = transfer
  const held = useMemo(() => heldTransfer({ chatRoomId, content }), [chatRoomId, content])
  const [isOpen, setOpen] = useState(false)
  const look = lookOf(held.file)
  const plays = look === 'video' || look === 'audio'
  const name = nameOf(content.name) || 'Document'
  const act = plays ? 'Play' : 'Open'
  const Icon = plays ? Play : ImageIcon
  async function save() {
    await saveHeld(env, held).catch((error: unknown) =>
      showToast({ tone: 'bad', title: notThere(held), text: failureWords(error) }),
    )
  }
  return (
    <>
      {isOpen && plays && <Player held={held} look={look} isAsked isSavable={false} />}
      <div className="acts">
        {look !== 'document' && !(isOpen && plays) && (
          <button type="button" className="btn compact outline" aria-label={`${act} ${name}`} onClick={() => setOpen(true)}>
            <Icon className="i i-16" aria-hidden />
            {act}
          </button>
        )}
        <button type="button" className="btn compact outline" aria-label={`Save ${name}`} onClick={() => void save()}>
          <Download className="i i-16" aria-hidden />
          Save
        </button>
      </div>
      {isOpen && look === 'picture' && <Viewer held={held} seq={seq} onClose={() => setOpen(false)} />}
    </>
  )
}
