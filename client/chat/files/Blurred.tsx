import { useMemo } from 'react'
import type { FileContent } from '../../../contract/chat/content.ts'
import { thumbnailUrl } from './thumbnail.ts'

/** The preview that came with the message, where it is one. */
export function Blurred({ picture }: { picture: FileContent['picture'] }) {
  const url = useMemo(() => thumbnailUrl(picture), [picture])
  return url && <img className="blurred" src={url} alt="" />
}
