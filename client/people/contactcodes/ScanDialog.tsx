import { Tabs } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { type CameraTrouble, cameraWords } from '../../ui/camera.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FieldForm } from '../../ui/FieldForm.tsx'
import { failureWordsOr } from '../../ui/failure.ts'
import { Scanner } from '../../ui/Scanner.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { showToast } from '../../ui/toast.ts'
import { addedWords } from '../contacts/waitingWords.ts'
import { readContent } from './codeContent.ts'
import { redeemScan, redeemToken } from './contactcodes.ts'
import './contactcodes.css'

const FAILED = 'Failed to add contact'

/** Adds a contact by a code: by the camera, or by a pasted token. */
export function ScanDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [mode, setMode] = useState<string>('camera')
  const manual = useRef<HTMLDivElement>(null)
  const enter = () => {
    flushSync(() => setMode('manual'))
    focusToken()
  }
  const focusToken = () => manual.current?.querySelector('input')?.focus()
  return (
    <Dialog title="Scan QR" text="The other person finds their code under Invite." onClose={onClose}>
      <Tabs.Root value={mode} onValueChange={setMode} className="code-modes">
        <Tabs.List className="seg" aria-label="How to add">
          <Tabs.Trigger value="camera">Camera</Tabs.Trigger>
          <Tabs.Trigger value="manual" onClick={focusToken}>
            Paste token
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="camera">
          <Camera user={user} onManual={enter} onClose={onClose} />
        </Tabs.Content>
        <Tabs.Content value="manual" ref={manual}>
          <Manual onClose={onClose} />
        </Tabs.Content>
      </Tabs.Root>
    </Dialog>
  )
}

function Camera({ user, onManual, onClose }: { user: User; onManual: () => void; onClose: () => void }) {
  const [isScanning, setScanning] = useState(true)
  const { isPending, add } = useAdding(onClose)

  function fail(trouble: CameraTrouble) {
    const instead = trouble === 'missing' ? 'use manual entry to add contacts' : 'use manual entry'
    showToast({ tone: 'bad', title: 'Camera Error', text: cameraWords(trouble, instead) })
    onManual()
  }

  async function read(text: string) {
    if (isPending) return
    const scan = readContent(text)
    if (typeof scan !== 'string') {
      // After a refusal a camera that ran on would see the same code again, and ask the server about it without an end.
      setScanning(false)
      const failure = await add((env) => redeemScan(env, user, scan))
      if (failure !== undefined) showToast({ tone: 'bad', title: FAILED, text: failure })
      return
    }
    const why = scan === 'unreadable' ? 'Unable to read QR code data' : 'This QR code is not a valid contact share code'
    showToast({ tone: 'bad', title: 'Invalid QR Code', text: why })
  }

  if (isPending) return <Spinner words="Adding the contact" isVisible />
  if (isScanning) return <Scanner instead="use manual entry" onCode={read} onStop={() => setScanning(false)} onTrouble={fail} />
  return <StartScan onStart={() => setScanning(true)} />
}

function StartScan({ onStart }: { onStart: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  // What had the focus has gone with the camera's picture.
  useEffect(() => button.current?.focus(), [])
  return (
    <div className="scan-acts">
      <button ref={button} type="button" className="btn primary" onClick={onStart}>
        Start scan
      </button>
    </div>
  )
}

function Manual({ onClose }: { onClose: () => void }) {
  const { add } = useAdding(onClose)
  return (
    <FieldForm
      label="QR token"
      help={<p className="help">A token proves nothing about the person: compare the safety number afterwards.</p>}
      action="Add Contact"
      pendingAction="Adding..."
      autoCapitalize="none"
      spellCheck={false}
      maxLength={600}
      onEmpty={() => showToast({ tone: 'bad', title: 'Token Required', text: 'Please enter a QR token' })}
      onSubmit={(token) => add((env) => redeemToken(env, token))}
      onClose={onClose}
    />
  )
}

/** Adds somebody by one of the two ways. `add` returns the words of a failure; undefined if the contact was added. */
function useAdding(onAdded: () => void) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  async function add(redeem: (env: Env) => ReturnType<typeof redeemToken>): Promise<string | undefined> {
    setPending(true)
    try {
      const { displayName, contact } = await redeem(env)
      showToast({ tone: 'good', ...addedWords(`${displayName} has been added to your contacts.`, contact) })
      onAdded()
    } catch (error) {
      setPending(false)
      return failureWordsOr(error, FAILED)
    }
  }
  return { isPending, add }
}
