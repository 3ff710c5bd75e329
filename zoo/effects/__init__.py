"""Effects on images and on frames: blurred faces, blurred backgrounds, people cut out."""
