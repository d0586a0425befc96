import { type ReactNode, use, useEffect } from 'react'
import { useStore } from 'zustand'
import { PhotosContext } from './photosContext.tsx'
import { tintOf } from './tint.ts'

function monogram(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word ? [...word][0] : ''))
  return letters.join('').toUpperCase() || '?'
}

interface Props {
  id: string
  name: string
  /** The path of the photo. The monogram stands in its place until it is here, and where it cannot be loaded. */
  photo?: string | null
  isOutlined?: boolean
  /** In px; 44 where nothing is said. */
  size?: 28 | 36 | 40 | 44 | 60 | 80 | 88 | 120
  children?: ReactNode
}

export function Avatar({ id, name, photo, isOutlined = false, size = 44, children }: Props) {
  return (
    <span className={`av ${isOutlined ? 'none' : tintOf(id)} d${size}`} aria-hidden="true">
      {monogram(name)}
      {photo && !isOutlined && <Photo path={photo} />}
      {children}
    </span>
  )
}

function Photo({ path }: { path: string }) {
  const { store, want } = use(PhotosContext)
  const url = useStore(store, ({ photos }) => photos.get(path))
  useEffect(() => {
    if (!url) want(path)
  }, [path, url, want])
  return url && <img src={url} alt="" />
}

/** A filled dot is online, a hollow one is not; none where it is not known. A text beside it says the same. */
export function PresenceDot({ isOnline }: { isOnline: boolean | null | undefined }) {
  return typeof isOnline === 'boolean' && <i className={isOnline ? 'dot' : 'dot away'} />
}
