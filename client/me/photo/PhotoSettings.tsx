import { useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../../contract/account/account.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { later } from '../../ui/later.tsx'
import { showToast } from '../../ui/toast.ts'
import { Wrong } from '../../ui/Wrong.tsx'
import { chooseFile, chosenStore, dropChosen, dropFailure, removePhoto } from './photo.ts'
import './photo.css'

const CropDialog = later(async () => (await import('./CropDialog.tsx')).CropDialog)
const CameraDialog = later(async () => (await import('./CameraDialog.tsx')).CameraDialog)

const FAILED = 'Failed to update profile photo'

/** The own photo: chosen from a file or taken with the camera, and removed. */
export function PhotoSettings({ user }: { user: User }) {
  const env = useEnv()
  const field = useRef<HTMLInputElement>(null)
  const choose = useRef<HTMLButtonElement>(null)
  const { chosen, isSaving, failure } = useStore(chosenStore)
  const [isCropping, setCropping] = useState(false)
  const [isTaking, setTaking] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const own = chosen?.userId === user.id ? chosen : null

  async function take(file: File | undefined) {
    if (!file) return
    dropFailure()
    await chooseFile(user.id, file)
    if (!chosenStore.getState().failure) setCropping(true)
  }

  async function remove() {
    setRemoving(true)
    try {
      await removePhoto(env)
      // The pressed button has gone.
      choose.current?.focus()
    } catch (error) {
      showToast({ tone: 'bad', title: FAILED, text: failureWords(error) })
    } finally {
      setRemoving(false)
    }
  }

  return (
    <div className="photo">
      <Avatar id={user.id} name={user.displayName} photo={user.profileImageUrl} size={80} />
      <div className="stack tight">
        <div className="acts">
          <button ref={choose} type="button" className="btn outline" onClick={() => field.current?.click()}>
            Upload photo
          </button>
          <button type="button" className="btn outline" onClick={() => setTaking(true)}>
            Take photo
          </button>
          {user.profileImageUrl && (
            <button type="button" className="btn quiet" disabled={isRemoving} onClick={() => void remove()}>
              {isRemoving ? 'Removing...' : 'Remove'}
            </button>
          )}
        </div>
        <p className="small t2">JPG, PNG or GIF, at most 5 MB. Where and when it was taken stays here.</p>
        <input
          ref={field}
          type="file"
          hidden
          aria-label="Photo file"
          accept="image/jpeg,image/png,image/gif"
          onChange={({ target }) => {
            void take(target.files?.[0])
            // The same file can be chosen again.
            target.value = ''
          }}
        />
        {failure && !isCropping && (
          <Wrong>
            {FAILED}. {failure}
          </Wrong>
        )}
        {own && !isCropping && !isSaving && (
          <div className="acts">
            <span className="small">
              “<bdi>{own.name}</bdi>” is not saved yet. Loading this page anew drops it.
            </span>
            <button type="button" className="btn outline compact" onClick={() => setCropping(true)}>
              Go on
            </button>
            <button type="button" className="btn quiet compact" onClick={dropChosen}>
              Discard
            </button>
          </div>
        )}
      </div>
      {own && isCropping && <CropDialog chosen={own} onClose={() => setCropping(false)} />}
      {isTaking && (
        <CameraDialog
          userId={user.id}
          onClose={() => setTaking(false)}
          onTaken={() => {
            setTaking(false)
            setCropping(true)
          }}
        />
      )}
    </div>
  )
}
