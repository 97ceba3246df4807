# The tests of each fault, by the numbers of docs/reliability.md: all of them get the label "faults". ctest reads this when it
# knows the tests of all programs. A name stands for itself and for all that continue it with a slash. A name without a test
# is an error, unless a question mark precedes it: only a build with CUDA has those.

set(faults_table
  "1  end_to_end.Damaged.Mp4WithoutItsIndexIsRefused end_to_end.Damaged.TruncatedFilesAreFinishedAsFarAsTheyGo"
  "2  end_to_end.Damaged.NoisyPacketsAreCounted end_to_end.Damaged.MissingPacketsAreTold"
  "2  end_to_end.Damaged.StrictStopsAtTheFirst end_to_end.Damaged.ChangedBytesNeverCrashIt faults.damage_runs"
  "3  end_to_end.Times.SurviveAChangeOfSize"
  "4  end_to_end.Inputs/Mistakes.AreToldInOneLineAndLeaveNoFile"
  "5  end_to_end.Lossless.AnySizeIsFilteredAsOpenCvDoes end_to_end.Lossless.OddSizesOfSubsampledFormatsSurvive"
  "5  end_to_end.Outputs/Mistakes.AreToldInOneLineAndLeaveNoFile"
  "6  end_to_end.Routes/Timestamps.OfPicturesAndCopiedPacketsAreTheInputs end_to_end.Times.AreFoundWhereTheInputHasNone"
  "6  end_to_end.Times.RiseWhereTheInputsJumpBack"
  "7  PipelineTest.CarriesEveryFrame end_to_end.Times.OfEveryDecoderSurvive"
  "8  faults.Disk.AFullDiskIsToldAtTheFirstWrite faults.Disk.AFullFileSystemKeepsAndNamesWhatThereIs"
  "8  end_to_end.OtherMistakes.AFullDiskKeepsAndNamesWhatThereIs OutputFile.TellsOfAFullDisk"
  "9  end_to_end.OtherMistakes.AReadOnlyFolderIsNamed OutputFile.RefusesAMissingFolderAndANameTooLong"
  "10 end_to_end.Signals.AReaderThatGoesAwayEndsTheRun"
  "11 end_to_end.Pipes.AnEmptyOrEndingInputEndsTheRun end_to_end.Signals.EndAWaitForInput"
  "11 end_to_end.Live.APipeThatFallsSilentEndsTheRecording"
  "12 end_to_end.Camera.IsUnplugged end_to_end.Camera.FallsSilent end_to_end.Camera.IsPluggedInAgain"
  "12 end_to_end.Camera.StaysAway end_to_end.Live.ALostSenderComesBack"
  "13 ?CudaFaults.FewerStreamsWhereMemoryIsShortThenAnErrorThatTellsTheNeed"
  "14 MissingGpu.AContainerIsToldWhatItWasNotGiven MissingGpu.ElsewhereBothAreNamed"
  "14 MissingGpu.WhatHidesItIsNamed Device.AnExplicitGpuNeverFallsBack"
  "15 ?CudaFaults.AGpuLostInTheMiddleEndsTheRunWith7AndKeepsWhatWasWritten"
  "16 PipelineTest.AnEncoderThatDiesIsExitCode8"
  "17 each/FailingStage.EndsTheRunWithItsNameAndHarmsNoFile PipelineTest.TheFirstOfTwoErrorsWins"
  "18 faults.Each/StuckStage.IsNamedByTheWatchdog"
  "19 faults.Killed.SignalsAtAnyTimeLeaveValidFiles"
  "19 end_to_end.Signals.FinishTheFileInTheMiddle PipelineTest.AStopAtAnyTimeLeavesAFinishedFile"
  "19 faults.SecondSignal.LeavesAtOnceAndOnlyThePartRemains faults.SecondSignal.ThatComesAtOnceIsTheFirstOneStill"
  "20 faults.Killed.KillsAtAnyTimeLeaveTheOldFile end_to_end.Signals.KilledItLeavesTheOldFile"
  "21 faults.Limits.ThreadsThatAreRefusedAreFewerOrAnError faults.Limits.MemoryThatIsRefusedIsAnError"
  "21 PipelineTest.OutOfMemoryIsToldAsSuch"
  "22 faults.Names.TheInputIsNeverTheOutput faults.Names.AReportReplacesNothingThatWasNamed"
  "22 faults.Names.LinksAreFollowedAndRightsAreNot faults.Names.AReportGoesIntoPipes OutputFile.KnowsOneFileByTwoNames"
  "23 end_to_end.Options.AnyNameIsJustAName faults.Names.ThatArePatternsAreJustNames"
  "24 end_to_end.Streams.OneOfSeveralVideosIsFiltered end_to_end.Streams.CoversSurviveBetweenContainers"
  "24 faults.Videos.ACoverIsNone end_to_end.Streams.AllOfMatroskaSurvive"
  "25 end_to_end.Formats.NothingIsChangedUnsaid end_to_end.PictureFacts.OfEachFieldOrderSurvive"
  "25 end_to_end.PictureFacts.OfColoursAspectAndFieldsSurvive"
  "26 end_to_end.Signals.EightAtOnceWriteOneWholeFile"
  "27 end_to_end.Streams.ThatTheContainerCannotHoldAreNamed end_to_end.Streams.SubtitlesSurviveBetweenContainers"
  "28 end_to_end.Live.APlaylistReachesNoFile faults.Names.FiltersReachNothingWithoutLeave"
  "28 faults.Limits.AnInputOfThousandsOfStreamsEnds"
  "29 end_to_end.Filters/Usage.IsCheckedBeforeAnythingIsOpened"
  "30 end_to_end.Options/Usage.IsCheckedBeforeAnythingIsOpened CommandLine.MistakesOfConfigurationsAreToldWithLineAndColumn"
  "31 binaries.LoadOnlyWhatTheyShould faults.Names.NoLibraryOfTheWorkingDirectoryIsLoaded"
  "32 faults.Names.MuxersThatOpenFilesOfTheirOwnAreRefused faults.Names.NoMuxerMakesAnotherFile"
  "33 faults.Names.ThatArePatternsAreJustNames faults.Names.FiltersReachNothingWithoutLeave"
  "33 LavfiGraph.IsOpenedOnlyWithLeave LavfiGraph.FiltersAreFoundWhereverTheyStand"
  "34 faults.Each/Holes.OfZeroesInTheMiddleAreTold faults.OfEachContainer/HolesOfContainers.OfBytesCutOutOfTheMiddleAreTold faults.damage_runs"
  "35 faults.OfEachContainer/HolesOfContainers.AtTheEndAreTold faults.TailOfTheVideo.IsMissedWhereTheFileTellsOfIt"
  "36 faults.OfEachCodec/HolesOfCodecs.WhereTheFirstKeyFrameWasAreTold"
  "37 faults.Each/LossyDisk.IsSeenBeforeTheRename"
  "38 faults.Blocked.AReaderThatTakesNothingDoesNotHoldUpASignal faults.Blocked.AReaderThatTakesNothingIsToldByTheWatchdog"
  "38 faults.Blocked.AReaderThatIsSlowIsWaitedFor faults.Blocked.AnInputPipeThatIsSilentEndsWithASignal"
  "38 faults.Blocked.AnInputPipeThatIsSilentHasATimeout faults.Blocked.AnOutputPipeThatNobodyReadsEndsWithASignal"
  "38 faults.NoStall.IsAnInputPipeThatIsSilent faults.NoStall.IsAnythingWithATimeoutOfNone"
  "38 faults.Blocked.AnEncoderOfSvtAv1EndsByItself faults.Each/StuckStage.DoesNotHoldUpASignal"
  "39 faults.Disk.ALimitOfFileSizesIsAnOutputError"
  "40 faults.Limits.ArgumentsWithoutEndAreUsageErrors Limits.DepthIsToldWithItsPlace Limits.SizesAndNumbersAreTold"
  "41 faults.Limits.AHugePictureIsRefusedBeforeMemoryIsTaken faults.Limits.TheOptionRaisesTheLimit"
  "41 faults.Limits.APictureThatGrowsInTheMiddleIsRefused Mask.HasALimitOfPixels"
  "42 faults.Videos.OneIsFilteredAndTheOtherIsNamed faults.Videos.ANumberChoosesAndAllTakesEach"
  "42 faults.Videos.AllOfOneIsThatOne faults.Videos.AllAreStoppedAndDamagedAsOneIs"
  "43 faults.Ranges.ValuesAndTagsAgreeWhereverTheyGo faults.Ranges.WhatCanSayItStaysFullToTheByte"
  "43 faults.Ranges.LimitedIsNotTouched faults.Ranges.AChangeOfDepthOrSizeInTheMiddleIsTold"
  "43 faults.Ranges.HdrDataIsThereOrIsNamed faults.Ranges.HdrInEightBitsIsTold"
  "44 faults.Text.OfTagsIsPrintable faults.Text.OfNamesIsPrintable faults.Text.OfLibrariesIsPrintable"
  "44 faults.Text.OfTheProgressLineIsAllThatIsDrawn"
  "45 faults.Disk.NothingIsWrittenAfterTheSyncThatComesBeforeTheName"
  "46 faults.Each/KilledQuicktime.IsMendedByTheCommandThatIsTold faults.Killed.ANameWithSpacesIsMendedAsTold"
  "46 faults.Killed.AMendedFileIsNotWrittenOverAnother faults.Killed.OtherContainersPlayAsTheyAre"
  "46 faults.Killed.WholeRunsLeaveNothing end_to_end.Containers/Killed.PlaysUpToTheLastSecond")

set(faults_known faults.damage_runs binaries.LoadOnlyWhatTheyShould
  ${test_pipeline_TESTS} ${test_end_to_end_TESTS} ${test_formats_TESTS} ${test_config_TESTS} ${test_faults_TESTS})
foreach(faults_row IN LISTS faults_table)
  string(REGEX REPLACE "^[0-9]+ +" "" faults_row "${faults_row}")
  string(REPLACE " " ";" faults_row "${faults_row}")
  foreach(faults_name IN LISTS faults_row)
    string(REGEX REPLACE "^[?]" "" faults_wanted "${faults_name}")
    set(faults_found ${faults_known})
    # By their beginning: the values of parameters may follow.
    list(FILTER faults_found INCLUDE REGEX "^${faults_wanted}($|[/ ])")
    if(NOT faults_found AND faults_wanted STREQUAL faults_name)
      message(FATAL_ERROR "tests/faults/labels.cmake: there is no test ${faults_name}")
    endif()
    foreach(faults_test IN LISTS faults_found)
      set_tests_properties("${faults_test}" PROPERTIES LABELS faults)
    endforeach()
  endforeach()
endforeach()
