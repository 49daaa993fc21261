;;; hipshift-test.el --- Tests of hipshift.el against the real server  -*- lexical-binding: t; -*-

;;; Commentary:

;; Started by tests/editors.rs in a folder that has the files of fixtures/lint and a
;; hipshift.toml with `ext = "hip"':
;;   HIPSHIFT_BIN=… emacs -Q --batch -L editors/emacs -l hipshift-test.el -f ert-run-tests-batch-and-exit

;;; Code:

(require 'ert)
(require 'json)
(require 'hipshift)

(defconst hipshift-test-binary (or (getenv "HIPSHIFT_BIN") (error "HIPSHIFT_BIN is not set"))
  "The binary under test.")

(setq hipshift-command (list hipshift-test-binary "lsp")
      make-backup-files nil
      create-lockfiles nil
      eglot-autoshutdown nil)
(add-hook 'hipshift-cuda-mode-hook #'eglot-ensure)
(add-hook 'hipshift-hip-mode-hook #'eglot-ensure)

(defun hipshift-test-wait (what condition)
  "Wait until CONDITION holds; WHAT it stands for is in the failure."
  (let ((until (+ (float-time) 20)))
    (while (not (funcall condition))
      (when (> (float-time) until)
        (ert-fail (format "waited in vain for %s" what)))
      (accept-process-output nil 0.02))))

(defun hipshift-test-run (input &rest arguments)
  "What hipshift prints for ARGUMENTS with the text INPUT."
  (with-temp-buffer
    (let ((from (current-buffer)))
      (with-temp-buffer
        (insert (or input ""))
        (apply #'call-process-region nil nil hipshift-test-binary nil (list from nil) nil arguments))
      (buffer-string))))

(defmacro hipshift-test-with (name &rest body)
  "Run BODY in a served buffer of the file NAME, which ends unchanged."
  (declare (indent 1))
  `(let ((buffer (find-file-noselect ,name)))
     (save-window-excursion
       (switch-to-buffer buffer)
       (unwind-protect
           (progn
             ;; What waits for the end of a command, of which there is none here.
             (unless (eglot-current-server)
               (run-hooks 'post-command-hook))
             (hipshift-test-wait "a server" #'eglot-current-server)
             ;; Flymake asks for findings when a window shows the buffer, which no window does here.
             (flymake-start)
             ,@body)
         (set-buffer buffer)
         (set-buffer-modified-p nil)
         (kill-buffer buffer)))))

(defun hipshift-test-findings ()
  "Line and code of the findings that Flymake shows."
  (sort (mapcar (lambda (finding)
                  (let ((data (cdr (assq 'eglot-lsp-diag (flymake-diagnostic-data finding)))))
                    (format "%d:%s" (line-number-at-pos (flymake-diagnostic-beg finding))
                            (plist-get data :code))))
                (flymake-diagnostics))
        #'string<))

(defun hipshift-test-lint (name)
  "Line and code of the findings of lint in the file NAME."
  (let* ((report (json-parse-string (hipshift-test-run nil "lint" "." "--format" "json")
                                    :object-type 'alist :array-type 'list))
         (file (cl-find name (alist-get 'files report)
                        :key (lambda (file) (alist-get 'path file)) :test #'equal)))
    (sort (mapcar (lambda (finding)
                    (format "%d:%s" (alist-get 'line (alist-get 'start finding))
                            (alist-get 'code finding)))
                  (alist-get 'findings file))
          #'string<)))

(ert-deftest hipshift-findings-are-those-of-lint ()
  (hipshift-test-with "port.cu"
    (should (eq major-mode 'hipshift-cuda-mode))
    (hipshift-test-wait "findings" #'flymake-diagnostics)
    (let ((expected (hipshift-test-lint "port.cu")))
      (should (> (length expected) 2))
      (should (equal (hipshift-test-findings) expected)))))

(ert-deftest hipshift-file-is-converted ()
  (hipshift-test-with "port.cu"
    (let ((original (buffer-string)))
      (hipshift-convert)
      (should (equal (buffer-string) (hipshift-test-run original "convert" "-")))
      (should (equal original (with-temp-buffer (insert-file-contents "port.cu") (buffer-string)))))))

(ert-deftest hipshift-selection-is-converted ()
  (hipshift-test-with "port.cu"
    (goto-char (point-min))
    (search-forward "cudaStreamSynchronize")
    (hipshift-convert (line-beginning-position) (line-end-position))
    (should (string-match-p "hipStreamSynchronize" (buffer-string)))
    (should (string-match-p "cudaStream_t" (buffer-string)))))

(ert-deftest hipshift-code-action-changes-the-buffer ()
  (hipshift-test-with "converted.hip"
    (should (eq major-mode 'hipshift-hip-mode))
    (hipshift-test-wait "findings" #'flymake-diagnostics)
    (goto-char (point-min))
    (search-forward "cudaFree")
    (let* ((expected (concat (substring (buffer-string) 0 (- (match-beginning 0) 1)) "hipFree"
                             (substring (buffer-string) (- (point) 1))))
           (actions (eglot-code-actions (match-beginning 0) (point)))
           (action (cl-find "Rename to `hipFree`" actions
                            :key (lambda (action) (plist-get action :title)) :test #'equal)))
      (should action)
      (eglot--apply-workspace-edit (plist-get action :edit))
      (should (equal (buffer-string) expected)))))

(ert-deftest hipshift-all-is-fixed-as-lint-does ()
  (hipshift-test-with "converted.hip"
    (let* ((original (buffer-string))
           (expected (hipshift-test-run original "lint" "--fix" "-")))
      (hipshift-fix-all)
      (should-not (equal (buffer-string) original))
      (should (equal (buffer-string) expected)))))

(ert-deftest hipshift-preview-follows-edits ()
  (hipshift-test-with "port.cu"
    (let ((preview (hipshift-preview))
          (expected (hipshift-test-run (buffer-string) "convert" "-")))
      (hipshift-test-wait "the preview"
                          (lambda () (equal (with-current-buffer preview (buffer-string)) expected)))
      (with-current-buffer preview
        (should (derived-mode-p 'hipshift-hip-mode))
        (should buffer-read-only)
        (should-not (eglot-managed-p)))
      (goto-char (point-max))
      (insert "void g(void* p) { cudaFree(p); }\n")
      (eglot--signal-textDocument/didChange)
      (hipshift-test-wait "the edit in the preview"
                          (lambda ()
                            (with-current-buffer preview
                              (string-match-p "hipFree(p)" (buffer-string)))))
      (kill-buffer preview))))

(ert-deftest hipshift-rules-are-explained ()
  (hipshift-test-with "port.cu"
    (hipshift-test-wait "findings" #'flymake-diagnostics)
    (goto-char (point-min))
    (search-forward "cudaFrobnicate")
    (should (equal (hipshift--code-here) "A005"))
    (with-current-buffer (call-interactively #'hipshift-explain)
      (should (string-match-p "unknown-name" (buffer-string))))
    (with-current-buffer (eglot-execute-command (eglot-current-server) 'hipshift.openRule
                                                [(:code "W004")])
      (should (string-match-p "W004" (buffer-string))))
    (should-error (hipshift-explain "Q999"))))

(ert-deftest hipshift-counterpart-is-found ()
  (hipshift-test-with "port.cu"
    (let ((converted (hipshift-test-run (buffer-string) "convert" "-")))
      (with-temp-file "port.hip" (insert converted)))
    (goto-char (point-min))
    (search-forward "cudaStreamSynchronize")
    (beginning-of-line)
    (hipshift-counterpart)
    (unwind-protect
        (progn
          (should (equal (file-name-nondirectory buffer-file-name) "port.hip"))
          (should (looking-at-p " *hipStreamSynchronize")))
      (kill-buffer)
      (delete-file "port.hip"))))

(provide 'hipshift-test)
;;; hipshift-test.el ends here
